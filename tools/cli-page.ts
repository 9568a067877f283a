import type { Argument, Command, Option } from 'commander';
import { EXIT_CODES } from '../starters/cli/exit-codes.ts';

/** The first line of the page. */
export const CLI_PAGE_BANNER = '<!-- Generated from starters/cli by `npm run generate`: do not edit. -->';

/** The reference of the command line as Markdown: what `--help` of every command knows, on one page. */
export function cliReferencePage(program: Command): string {
  return [
    CLI_PAGE_BANNER,
    '# millwright',
    '',
    program.description(),
    '',
    'As a plugin of kubectl it is `kubectl millwright`. Tables are in colour on a terminal only; `NO_COLOR` takes the colours',
    'away. What a command finds or did is printed on stdout; that there is nothing to show, and errors, on stderr.',
    '',
    '## Options of every command',
    '',
    'They may stand before or after the command.',
    '',
    ...optionTable(program.options),
    '',
    ...leavesOf(program).flatMap((command) => commandSection(command)),
    '## Names',
    '',
    'Where objects of several APIs have one name, a command says so, and how to name each: KIND.GROUP/NAME, as kubectl does, e.g.',
    '`millwright machine describe machine.machine.openshift.io/worker-1`. KIND/NAME does where one API has that kind.',
    '',
    '## Output',
    '',
    'Commands that look at something (`list`, `describe`, `explain`, `tree`, `doctor`) print a table, and with `-o wide` more of it; with',
    '`-o json` or `-o yaml` the data. `-o jsonpath=TEMPLATE` takes the syntax of kubectl: text, and expressions in braces, as in',
    "`millwright machine list -o jsonpath='{.items[*].metadata.name}'`; fields, indices, slices, `*`, `..`, filters",
    '(`[?(@.status.phase=="Running")]`), `\\.` for a dot of a name, and `{"\\n"}`. `{range}` and lists of paths are not supported and',
    'are refused; name the values at once, or take `-o json` with jq.',
    '',
    '## Completion',
    '',
    'Commands, flags and names of Machines, MachineSets, MachineDeployments, MachineHealthChecks, clusters and namespaces complete in a shell that took the script in:',
    '`source <(millwright completion bash)`, `source <(millwright completion zsh)`,',
    '`millwright completion fish | source`, `millwright completion powershell | Out-String | Invoke-Expression`.',
    '',
    '## Exit codes',
    '',
    '| Code | |',
    '|---|---|',
    ...EXIT_CODES.map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`),
    '',
  ].join('\n');
}

/** The commands that do something, in the order of `--help`. */
function leavesOf(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((sub) => sub.name() !== 'help')
    .flatMap((sub) => (sub.commands.length === 0 ? [sub] : leavesOf(sub)));
}

function commandSection(command: Command): string[] {
  const aliases = [
    ...command.aliases().map((alias) => `${command.parent?.name()} ${alias}`),
    ...(command.parent?.aliases() ?? []).map((alias) => `${alias} ${command.name()}`),
  ];
  return [
    `## ${pathOf(command)}`,
    '',
    `\`${[pathOf(command), ...command.registeredArguments.map(usageOf), '[options]'].join(' ')}\``,
    '',
    `${sentence(command.description())}${aliases.length === 0 ? '' : ` Also \`${aliases.join('`, `')}\`.`}`,
    '',
    ...argumentTable(command.registeredArguments),
    ...(command.options.length === 0 ? [] : [...optionTable(command.options), '']),
  ];
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function usageOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentTable(given: readonly Argument[]): string[] {
  if (given.length === 0) return [];
  const rows = given.map(
    (argument) => `| ${code(usageOf(argument))} | ${cell(argument.description)}${choicesOf(argument)} |`,
  );
  return ['| Argument | |', '|---|---|', ...rows, ''];
}

function optionTable(options: readonly Option[]): string[] {
  const rows = options
    .filter(({ hidden }) => !hidden)
    .map((option) => {
      const fallback: unknown = option.defaultValue;
      const value = fallback === undefined ? '' : ` Default: \`${JSON.stringify(fallback)}\`.`;
      const variable = option.envVar === undefined ? '' : ` Or \`${option.envVar}\`.`;
      const required = option.mandatory ? ' Required.' : '';
      return `| ${code(option.flags)} | ${cell(option.description)}${choicesOf(option)}.${required}${value}${variable} |`;
    });
  return ['| Option | |', '|---|---|', ...rows];
}

function choicesOf({ argChoices }: Pick<Option, 'argChoices'>): string {
  return argChoices === undefined ? '' : `: ${argChoices.map(code).join(', ')}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** A text in a cell of a table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** The same in backquotes. */
function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
