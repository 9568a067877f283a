import type { Command } from 'commander';
import { addListFlags } from '../../flags/list-flags.ts';

export function addGreeting(program: Command): void {
  const greeting = program.command('greeting').description('look at Greetings');
  addListFlags(greeting.command('list').alias('ls').description('the Greetings, and what was said')).action(
    async (_options, command: Command) => (await import('./list.ts')).listGreetings(command.optsWithGlobals()),
  );
}
