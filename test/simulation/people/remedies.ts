import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import type { Random } from '../time/random.ts';
import type { People } from './people.ts';

type Steps = NonNullable<NonNullable<MachineHealthCheckObject['spec']['remediation']>['steps']>;

/** Annotations by which checks have another program remedy machines. */
export const REMEDY_KEYS = ['example.com/remedy', 'example.com/repair'] as const;
const [REMEDY, REPAIR] = REMEDY_KEYS;

/** Of these a check has some at each edit. */
export const REMEDIES: readonly Steps[] = [
  [{ action: 'Annotate', key: REMEDY, value: 'yes', timeout: '3m' }, { action: 'Replace' }],
  [{ action: 'Annotate', key: REPAIR, value: '', timeout: '1m' }, { action: 'Reboot' }, { action: 'Replace' }],
  [{ action: 'Reboot' }, { action: 'Annotate', key: REMEDY, value: 'yes', timeout: '2m' }, { action: 'Replace' }],
  [{ action: 'Replace' }],
];

/** How long the program takes for a machine, in milliseconds: the mean. */
const TAKES_MS = 60_000;
/** The share of machines that it makes well, and of those it has seen from which it takes the annotation off. */
const HELPED = 0.6;
const ANSWERED = 0.8;

/** Another program: it sees to each Machine that is annotated for it, and does not always help. */
export function remedyMachines(people: People, random: Random, heal: (machine: MachineObject) => void): void {
  const { agenda, api } = people.universe;
  const seen = new Set<string>();
  api.store.onChange(({ resource, object }) => {
    const { metadata } = object as unknown as MachineObject;
    if (resource.plural !== MACHINES.plural) return;
    for (const key of REMEDY_KEYS) {
      const what = `${metadata.uid} ${key}`;
      if (metadata.annotations?.[key] === undefined) seen.delete(what);
      else if (!seen.has(what)) {
        seen.add(what);
        agenda.after(random.around(TAKES_MS), () => void remedy(metadata.name, key));
      }
    }
  });

  async function remedy(name: string, key: string): Promise<void> {
    const machine = api.peek(MACHINES, NAMESPACE, name) as MachineObject | undefined;
    if (machine?.metadata.annotations?.[key] === undefined) return;
    const helps = random.chance(HELPED);
    const answers = random.chance(ANSWERED);
    people.tell(`a program ${helps ? 'remedies' : 'cannot help'} Machine ${name}${answers ? ', and says so' : ''}`);
    if (helps) heal(machine);
    if (!answers) return;
    try {
      await people.patch(MACHINES, name, { metadata: { annotations: { [key]: null } } });
    } catch (error) {
      // It is gone, or the API server is away.
      if (!(error instanceof KubeError)) throw error;
    }
  }
}
