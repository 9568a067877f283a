import { RootCommand, script, type OptionHandler } from '@bomb.sh/tab';
import { Command, type Option } from 'commander';
import type { Role } from '../../../../k8s/dialects/kind.ts';
import { addGlobalFlags } from '../../flags/global-flags.ts';
import { OUTPUT_FORMATS, type GlobalOptions } from '../../flags/global-options.ts';
import { BASH_SCRIPT } from './bash-script.ts';
import type { Shell } from './completion-flags.ts';
import { positionOf, type Position } from './word-position.ts';

/** `millwright completion SHELL`. */
export function printScript(shell: Shell): void {
  if (shell === 'bash') console.log(BASH_SCRIPT);
  else script(shell, 'millwright', 'millwright');
}

/** `millwright complete -- WORDS...`: prints what the last word may become. Says nothing where it does not know. */
export async function complete(program: Command, words: readonly string[]): Promise<void> {
  const position = positionOf(program, words);
  const names = await namesFor(position);
  completionsOf(program, position, names).parse([...position.words]);
}

/** The command line as the completion library takes it. Its own adapter leaves out flags of the whole program. */
function completionsOf(program: Command, position: Position, names: readonly string[]): RootCommand {
  const suggest: OptionHandler = (add) => names.forEach((name) => add(name, ''));
  const root = new RootCommand();
  const addOption = (target: Pick<RootCommand, 'option'>, option: Option): void => {
    const name = option.long?.slice(2);
    if (name === undefined) return;
    const alias = option.short?.slice(1);
    const choices = name === 'output' ? [...OUTPUT_FORMATS, 'jsonpath='] : option.argChoices;
    if (!takesValue(option)) target.option(name, option.description, alias);
    else if (choices === undefined) target.option(name, option.description, suggest, alias);
    else target.option(name, option.description, (add) => choices.forEach((choice) => add(choice, '')), alias);
  };
  const addCommand = (command: Command, path: string): void => {
    const target = path === '' ? root : root.command(path, command.summary() || command.description());
    const help = command.createHelp();
    for (const option of help.visibleOptions(command)) addOption(target, option);
    if (path !== '') for (const option of program.options) addOption(target, option);
    for (const argument of command.registeredArguments) {
      const choices = argument.argChoices ?? (command === position.command ? names : []);
      target.argument(argument.name(), (add) => choices.forEach((choice) => add(choice, '')), argument.variadic);
    }
    for (const sub of help.visibleCommands(command)) addCommand(sub, `${path} ${sub.name()}`.trim());
  };
  addCommand(program, '');
  return root;
}

/** Longest wait for the cluster: nobody waits longer for a TAB. In milliseconds. */
const TIMEOUT_MS = 2000;

/** Names that the cluster knows for what is to be completed; none where it cannot be asked. */
async function namesFor({ command, option, words }: Position): Promise<readonly string[]> {
  const wanted =
    option === undefined ? namesOfCommand(command) : option.long === '--namespace' ? 'namespaces' : undefined;
  if (wanted === undefined) return [];
  try {
    const { listNames } = await import('./list-names.ts');
    return await listNames(wanted, flagsOf(words.slice(0, option === undefined ? -1 : -2)), TIMEOUT_MS);
  } catch {
    return []; // A message in the middle of somebody's command line would help nobody.
  }
}

/** Whose names a command takes: those of the objects of a role, of clusters, which need have no object, or of namespaces. */
export type Named = Role | 'clusters' | 'namespaces';

/** By the command that those which take a name stand under. */
const NAMED_BY_COMMAND: ReadonlyMap<string, Role> = new Map<string, Role>([
  ['machine', 'machine'],
  ['machineset', 'machineSet'],
  ['machinedeployment', 'machineDeployment'],
  ['rollout', 'machineDeployment'],
  ['healthcheck', 'machineHealthCheck'],
]);

function namesOfCommand(command: Command): Named | undefined {
  const [argument] = command.registeredArguments;
  if (argument === undefined || argument.argChoices !== undefined) return undefined;
  if (argument.name() === 'cluster') return 'clusters';
  const [, object = ''] = pathOf(command);
  return NAMED_BY_COMMAND.get(object);
}

/** The names of a command and those that it stands under, from the program's on. */
function pathOf(command: Command): string[] {
  return [...(command.parent === null ? [] : pathOf(command.parent)), command.name()];
}

/** The flags among finished words that say which cluster and namespace. */
function flagsOf(words: readonly string[]): GlobalOptions {
  const flags = addGlobalFlags(new Command())
    .allowUnknownOption()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  flags.parseOptions([...words]);
  return flags.opts<GlobalOptions>();
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}
