import type { Command, Option } from 'commander';
import { given } from '../../../../providers/given.ts';

/** Where on a command line its last word stands. */
export interface Position {
  /** The words, with names of commands in place of their aliases. */
  readonly words: readonly string[];
  /** The command that the last word is of. */
  readonly command: Command;
  /** Set where the last word is its value. */
  readonly option?: Option;
}

/** Walks down the commands as far as the words before the last one name them. */
export function positionOf(program: Command, words: readonly string[]): Position {
  let command = program;
  let option: Option | undefined;
  const known: string[] = [];
  for (const word of words.slice(0, -1)) {
    const isValue = option !== undefined;
    option = undefined;
    const sub = isValue ? undefined : command.commands.find((c) => c.name() === word || c.aliases().includes(word));
    known.push(sub?.name() ?? word);
    if (sub !== undefined) command = sub;
    else if (!isValue) option = valuedOption(program, command, word);
  }
  const last = words.at(-1) ?? '';
  return { words: [...known, last], command, ...given({ option }) };
}

/** The option whose value is the next word. */
function valuedOption(program: Command, command: Command, word: string): Option | undefined {
  return [...command.options, ...program.options].find(
    ({ long, short, required }) => required && (word === long || word === short),
  );
}
