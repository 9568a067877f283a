import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import {
  CLUSTER_LABEL,
  REMEDIATE_ANNOTATION,
  SKIP_REMEDIATION_ANNOTATION,
} from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_HEALTH_CHECKS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../../k8s/kube-error.ts';
import { PROCEED_ANNOTATION } from '../../../k8s/model/machine-health-check.ts';
import type { Node } from '../../../k8s/model/node.ts';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { NODES } from '../../../k8s/resources.ts';
import { aMachineHealthCheck } from '../../world/builders/a-machine-health-check.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import type { Random } from '../time/random.ts';
import type { People } from './people.ts';
import { REMEDIES, remedyMachines } from './remedies.ts';
import { CLUSTER } from './shared-deeds.ts';

/** What somebody watches Nodes for, besides Ready: bad is True. */
const DEADLOCK = 'KernelDeadlock';
/** How often a script writes that its condition has just begun, in milliseconds. */
const REWRITTEN_EVERY_MS = 30_000;
/** How long a veto, a pause or a limit that somebody sets on a check stays, on average, in milliseconds. */
const HELD_MS = 120_000;
/** How long a zone is away at most, in milliseconds. */
const MOST_LOST_MS = 300_000;
/** How long the API server is away, in milliseconds: the mean. */
const AWAY_MS = 120_000;
/** How often a person looks whether a check waits for them, when the others went home, in milliseconds. */
const PROCEED_MS = 300_000;
/** The share of instances whose kubelets never come up. */
const NEVER_JOIN = 0.08;

/** The time-outs of the rules that checks have, one after the other. */
const TIMEOUTS = ['1m', '2m'] as const;

/** What is done in which check. @default Replace */
const STEPS: Readonly<Record<string, { readonly steps: NonNullable<RemediationSpec['steps']> }>> = {
  'set-1': { steps: [{ action: 'Reboot' }, { action: 'Replace' }] },
  // Nobody would replace it.
  nobody: { steps: [{ action: 'Reboot' }] },
};
type RemediationSpec = NonNullable<MachineHealthCheckObject['spec']['remediation']>;

export interface CheckedHealth {
  /** How many sets there are. */
  readonly sets: number;
  /** The share of reboots after which a machine never comes back. */
  readonly lostReboots: number;
  /** Of which those are. */
  readonly reboots: Random;
  /** Another program remedies machines; by it, which. @default there is none */
  readonly program?: Random | undefined;
}

/** Each set has a check, and what is of no set has one as well. */
export async function checkHealth(
  people: People,
  { sets, lostReboots, reboots, program }: CheckedHealth,
): Promise<void> {
  for (let n = 1; n <= sets; n += 1) await createCheck(people, `set-${n}`, TIMEOUTS[n % TIMEOUTS.length] ?? '1m');
  await people.createMachine('loner', { metadata: { labels: { [CLUSTER_LABEL]: CLUSTER, set: 'nobody' } } });
  await createCheck(people, 'nobody', '1m');
  if (program !== undefined) {
    for (const { metadata } of checksOf(people)) await remedyIn(people, metadata.name, program);
    remedyMachines(people, program, (machine) => heal(people, machine));
  }
  const joins = new Map<string, boolean>();
  people.universe.joins = ({ id, name = '' }) => {
    const known = joins.get(id) ?? (people.isOver || !name.startsWith('set-') || !people.random.chance(NEVER_JOIN));
    joins.set(id, known);
    return known;
  };
  people.universe.bootsAgain = ({ id }) => {
    const isLost = reboots.chance(lostReboots);
    if (isLost) people.tell(`instance ${id} is rebooted, and never comes back`);
    return !isLost;
  };
}

async function createCheck(people: People, set: string, timeout: string): Promise<void> {
  const unhealthyConditions = [
    { type: 'Ready', status: 'False', timeout },
    { type: 'Ready', status: 'Unknown', timeout },
    { type: DEADLOCK, status: 'True', timeout },
  ] as const;
  const { apiVersion, kind, spec } = aMachineHealthCheck(set, {
    selector: { matchLabels: { set } },
    unhealthyConditions: [...unhealthyConditions],
    nodeStartupTimeout: '4m',
    maxUnhealthy: '100%',
    remediation: { maxInFlight: people.random.pick([1, 2]) ?? 1, ...STEPS[set] },
  });
  const metadata = { name: set, namespace: NAMESPACE };
  await people.others.create(MACHINE_HEALTH_CHECKS, NAMESPACE, { apiVersion, kind, metadata, spec });
  people.tell(`creates MachineHealthCheck ${set}: ${timeout}, ${spec.remediation?.maxInFlight} at a time`);
}

/** What people do that has to do with health checks, and what happens to Nodes. */
export const HEALTH_DEEDS = {
  'hang for good': (people: People): void => {
    const instance = people.random.pick(ownInstances(people));
    if (instance === undefined) return;
    people.tell(`the kubelet of instance ${instance.id} hangs for good`);
    people.universe.kubelets.hang(instance.providerID, Infinity);
  },
  'lose zone': (people: People): void => {
    const zone = people.random.pick(['a', 'b']) ?? 'a';
    people.tell(`all kubelets of zone ${zone} hang`);
    people.universe.kubelets.hangZone(zone, people.random.between(60_000, MOST_LOST_MS));
  },
  'lose API server': (people: People): void => {
    const ms = Math.round(people.random.around(AWAY_MS));
    people.tell(`the API server is away for ${Math.round(ms / 1000)} s`);
    people.universe.loseApiServer(ms);
  },
  /** What comes and goes some times, and then stays or not. */
  'flap node': (people: People): void => {
    const node = people.random.pick(nodesOf(people));
    if (node === undefined) return;
    people.tell(`${DEADLOCK} of ${node.metadata.name} comes and goes`);
    let at = 0;
    for (let times = 2 + people.random.below(5); times > 0; times -= 1) {
      people.later(at, async () => setDeadlock(people, node, true));
      at += people.random.between(5000, 60_000);
      people.later(at, async () => setDeadlock(people, node, false));
      at += people.random.between(5000, 100_000);
    }
  },
  /** A script that knows no better says again and again that it has just begun: also when everybody went home. */
  'rewrite node': (people: People): void => {
    const { agenda, api } = people.universe;
    const node = people.random.pick(nodesOf(people));
    if (node === undefined) return;
    people.tell(
      `a script writes every ${REWRITTEN_EVERY_MS / 1000} s that ${DEADLOCK} of ${node.metadata.name} begins`,
    );
    const write = (): void => {
      if (!api.store.has(node.metadata.uid)) return;
      setDeadlock(people, node, true);
      agenda.after(REWRITTEN_EVERY_MS, write);
    };
    write();
  },
  'want remediation': toSome(async (people, { metadata: { name } }) => {
    people.tell(`wants Machine ${name} remediated`);
    await annotate(people, name, { [REMEDIATE_ANNOTATION]: 'its disk is slow' });
  }),
  'want left alone': toSome((people, { metadata }) => leaveAlone(people, metadata.name)),
  /** In the moment that a Machine is about to be remediated. */
  'veto late': async (people: People): Promise<void> => {
    const { agenda, api } = people.universe;
    const stop = api.store.onChange(({ resource, object }) => {
      const ill = (object as unknown as MachineHealthCheckObject).status?.unhealthyMachines?.find(
        ({ dueAt }) => dueAt !== undefined && Date.parse(dueAt) > agenda.now,
      );
      if (resource.plural !== MACHINE_HEALTH_CHECKS.plural || ill?.dueAt === undefined) return;
      stop();
      const inMs = Date.parse(ill.dueAt) - agenda.now + people.random.between(-500, 2500);
      const { uid } = api.peek(MACHINES, NAMESPACE, ill.name)?.metadata ?? {};
      const pauses = people.random.chance(0.3) && uid !== undefined;
      people.later(Math.max(0, inMs), () =>
        pauses ? people.pauseMachine({ name: ill.name, uid }, true) : leaveAlone(people, ill.name),
      );
    });
  },
  'edit maxUnhealthy': toCheck(async (people, { metadata: { name } }) => {
    const maxUnhealthy = people.random.pick([0, 1, '40%']) ?? 0;
    people.tell(`sets maxUnhealthy of the check ${name} to ${maxUnhealthy}`);
    await patchCheck(people, name, { spec: { maxUnhealthy } });
    people.later(people.random.around(HELD_MS), () => patchCheck(people, name, { spec: { maxUnhealthy: '100%' } }));
  }),
  'edit maxInFlight': toCheck(async (people, { metadata: { name } }) => {
    const maxInFlight = 1 + people.random.below(2);
    people.tell(`sets maxInFlight of the check ${name} to ${maxInFlight}`);
    await patchCheck(people, name, { spec: { remediation: { maxInFlight } } });
  }),
  'pause check': toCheck(async (people, { metadata: { name } }) => {
    people.tell(`pauses the check ${name}`);
    await patchCheck(people, name, { metadata: { annotations: { [PAUSED_ANNOTATION]: '' } } });
    people.later(people.random.around(HELD_MS), () => resumeCheck(people, name));
  }),
  'edit steps': toCheck((people, { metadata: { name } }) => remedyIn(people, name, people.random)),
  'recreate check': toCheck(async (people, { metadata: { name }, spec }) => {
    people.tell(`deletes the check ${name}, and creates it anew`);
    await people.others.delete(MACHINE_HEALTH_CHECKS, NAMESPACE, name);
    await createCheck(people, name, spec.unhealthyConditions?.[0]?.timeout ?? '1m');
  }),
  proceed: toCheck((people, { metadata: { name } }) => proceed(people, name)),
} satisfies Record<string, (people: People) => Promise<void> | void>;

/** Nothing keeps a check from its work any more; and a person looks now and then whether it waits for one. */
export async function letHeal(people: People): Promise<void> {
  const { universe } = people;
  universe.kubelets.wakeZones();
  for (const { metadata, spec } of checksOf(people)) {
    if (metadata.annotations?.[PAUSED_ANNOTATION] !== undefined) await resumeCheck(people, metadata.name);
    if (spec.maxUnhealthy !== '100%') await patchCheck(people, metadata.name, { spec: { maxUnhealthy: '100%' } });
  }
  for (const { metadata } of people.machines()) {
    if (metadata.annotations?.[SKIP_REMEDIATION_ANNOTATION] === undefined) continue;
    await annotate(people, metadata.name, { [SKIP_REMEDIATION_ANNOTATION]: null });
  }
  const look = async (): Promise<void> => {
    for (const { metadata, status } of checksOf(people)) {
      const waits = status?.conditions?.some(({ type, status: is }) => type === 'StormSuspected' && is === 'True');
      if (waits === true) await proceed(people, metadata.name);
    }
    universe.agenda.after(PROCEED_MS, () => void look());
  };
  if (checksOf(people).length > 0) await look();
}

function checksOf({ universe }: People): readonly MachineHealthCheckObject[] {
  return universe.api.all<MachineHealthCheckObject>(MACHINE_HEALTH_CHECKS);
}

async function remedyIn(people: People, check: string, random: Random): Promise<void> {
  const steps = random.pick(REMEDIES) ?? [];
  const words = steps.map((step) => (step.action === 'Annotate' ? `Annotate ${step.key}` : step.action)).join(', ');
  people.tell(`sets the steps of the check ${check}: ${words}`);
  await patchCheck(people, check, { spec: { remediation: { steps } } });
}

/** Its kubelet answers again, and nothing is wrong with its Node. */
function heal(people: People, { spec, status }: MachineObject): void {
  const { kubelets, api } = people.universe;
  kubelets.hang(spec.providerID ?? '', 0);
  const node = api.all<Node>(NODES).find(({ metadata }) => metadata.uid === status?.nodeRef?.uid);
  if (node !== undefined) setDeadlock(people, node, false);
}

async function proceed(people: People, name: string): Promise<void> {
  people.tell(`tells the check ${name} to proceed`);
  const annotations = { [PROCEED_ANNOTATION]: new Date(people.now).toISOString() };
  await patchCheck(people, name, { metadata: { annotations } });
}

async function resumeCheck(people: People, name: string): Promise<void> {
  people.tell(`resumes the check ${name}`);
  await patchCheck(people, name, { metadata: { annotations: { [PAUSED_ANNOTATION]: null } } });
}

/** For some time: by its annotation's value, or until somebody takes it off. */
async function leaveAlone(people: People, name: string): Promise<void> {
  const { random, now } = people;
  const ms = random.around(HELD_MS);
  const isTimed = random.chance(0.4);
  people.tell(`wants Machine ${name} left alone for ${Math.round(ms / 1000)} s`);
  const until = isTimed ? new Date(now + ms).toISOString() : '';
  await annotate(people, name, { [SKIP_REMEDIATION_ANNOTATION]: until });
  if (!isTimed) people.later(ms, () => annotate(people, name, { [SKIP_REMEDIATION_ANNOTATION]: null }));
}

async function annotate(people: People, name: string, annotations: Record<string, string | null>): Promise<void> {
  await people.patch(MACHINES, name, { metadata: { annotations } });
}

async function patchCheck(people: People, name: string, patch: object): Promise<void> {
  try {
    await people.patch(MACHINE_HEALTH_CHECKS, name, patch);
  } catch (error) {
    // It is being made anew.
    if (!(error instanceof KubeError)) throw error;
  }
}

function setDeadlock({ universe: { api, agenda } }: People, { metadata }: Node, isBad: boolean): void {
  const node = api.peek(NODES, undefined, metadata.name) as Node | undefined;
  if (node?.metadata.uid !== metadata.uid) return;
  const { conditions = [] } = node.status ?? {};
  const lastTransitionTime = new Date(agenda.now).toISOString();
  const condition = { type: DEADLOCK, status: isBad ? 'True' : 'False', lastTransitionTime };
  const others = conditions.filter(({ type }) => type !== DEADLOCK);
  api.put({ ...node, status: { ...node.status, conditions: [...others, condition] } } as never);
}

function ownInstances({ universe: { cloud } }: People) {
  return cloud.living().filter(({ machineUid }) => machineUid !== undefined);
}

/** Nodes of Machines. */
function nodesOf(people: People): readonly Node[] {
  const own = new Set(people.machines().map(({ status }) => status?.nodeRef?.uid));
  return people.universe.api.all<Node>(NODES).filter(({ metadata }) => own.has(metadata.uid));
}

function toSome(deed: (people: People, machine: MachineObject) => Promise<void> | void) {
  return async (people: People): Promise<void> => {
    const machine = people.random.pick(people.machines());
    if (machine !== undefined) await deed(people, machine);
  };
}

function toCheck(deed: (people: People, check: MachineHealthCheckObject) => Promise<void> | void) {
  return async (people: People): Promise<void> => {
    const check = people.random.pick(checksOf(people));
    if (check !== undefined) await deed(people, check);
  };
}
