import colors from 'picocolors';
import { quoted } from '../stack/programs.ts';
import type { StackFiles } from '../stack/stack-files.ts';
import type { StackDescription } from '../stack/stack-record.ts';
import { exampleOf } from './example.ts';
import type { MachinesSeen } from './watch-machines.ts';

/** What one can do with a running stack: where things are, the line to paste, three things to try. */
export function summary(files: StackFiles, description: StackDescription, seen: MachinesSeen, end: string): string {
  const rows: readonly [string, string][] = [
    ['kubeconfig', description.kubeconfig],
    ['Temporal UI', description.temporal.uiUrl],
    ['Temporal', `${description.temporal.address}, namespace ${description.temporal.namespace}`],
    ['cloud', `${description.cloud.provider}, ${description.cloud.endpoint}`],
    ['logs', files.logs],
  ];
  return [
    '',
    ...rows.map(([name, value]) => `  ${colors.bold(name.padEnd(12))} ${value}`),
    '',
    'In another terminal:',
    '',
    `  ${exportLine(files, description)}`,
    '',
    'Then try:',
    '',
    ...suggestions(seen, description.cloud.provider).map((line) => `  ${colors.cyan(line)}`),
    '',
    end,
    '',
  ].join('\n');
}

function exportLine(files: StackFiles, { kubeconfig, temporal }: StackDescription): string {
  // `millwright` in that folder knows this stack's Temporal by itself, unless the environment names another.
  const temporalToo = process.env['TEMPORAL_ADDRESS'] ? ` TEMPORAL_ADDRESS=${temporal.address}` : '';
  return `export PATH=${quoted(files.bin)}:"$PATH" KUBECONFIG=${quoted(kubeconfig)}${temporalToo}`;
}

function suggestions({ machines, sets }: MachinesSeen, provider: string): string[] {
  const [set] = sets;
  const [machine] = machines;
  if (!set || !machine) {
    return [`kubectl apply -f ${exampleOf(provider)}`, 'kubectl get machines --watch', 'millwright machine list'];
  }
  const inNamespace = (namespace: string) => (namespace === 'default' ? '' : ` -n ${namespace}`);
  const more = set.replicas + 2;
  return [
    `kubectl scale machineset ${set.ref.name}${inNamespace(set.ref.namespace)} --replicas=${more}`,
    'kubectl get machines --watch',
    `millwright machine explain ${machine.ref.name}${inNamespace(machine.ref.namespace)}`,
  ];
}
