/**
 * Completion for bash. The library's own script wants the package bash-completion, runs what the words so far may hold
 * (`$(…)`), and cannot be taken in twice; this one hands the words over as they are. For bash 3.2 and later.
 */
export const BASH_SCRIPT = `# bash completion for millwright
__millwright_complete() {
  local -a words=()
  local i word line
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # bash takes the = of --flag=value for a word of its own.
    if ((\${#words[@]} > 0)) && [[ $word == = || \${COMP_WORDS[i-1]} == = ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
  done
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :* ]] || COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(millwright complete -- "\${words[@]}" 2>/dev/null)
  # What ends so is not finished yet.
  if ((\${#COMPREPLY[@]} == 1)) && [[ \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}
complete -F __millwright_complete millwright`;
