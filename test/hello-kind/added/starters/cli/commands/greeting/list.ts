import type { GreetingReading } from '../../../../k8s/model/greeting.ts';
import type { ListOptions } from '../../flags/list-flags.ts';
import { printList } from '../../output/print-list.ts';

/** `millwright greeting list`. */
export function listGreetings(options: ListOptions): Promise<void> {
  return printList(options, 'greeting', 'Greetings', rowsOf);
}

function rowsOf(reads: readonly GreetingReading[]): string[][] {
  const rows = reads.map(({ greeting, status }) => [greeting.ref.name, status.message ?? '']);
  return [['NAME', 'MESSAGE'], ...rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))];
}
