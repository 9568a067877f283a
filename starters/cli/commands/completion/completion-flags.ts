import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print the script that completes commands, flags and names in a shell')
    .addArgument(new Argument('<shell>', 'the shell that is to run it').choices([...SHELLS]))
    .addHelpText(
      'after',
      `
Take it into the shell that is open:
  bash        source <(millwright completion bash)
  zsh         source <(millwright completion zsh)
  fish        millwright completion fish | source
  powershell  millwright completion powershell | Out-String | Invoke-Expression`,
    )
    .action(async (shell: Shell) => (await import('./completion.ts')).printScript(shell));
  program
    .command('complete', { hidden: true })
    .description('what the scripts of `completion` ask: complete -- WORDS...')
    .argument('[words...]', 'the words of the command line so far, the last one unfinished')
    .allowUnknownOption()
    .action(async (words: string[]) => (await import('./completion.ts')).complete(program, words));
}
