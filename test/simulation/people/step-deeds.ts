import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { openshift } from '../../../k8s/dialects/openshift/api.ts';
import { MACHINE_DEPLOYMENTS } from '../../../k8s/dialects/openshift/resources.ts';
import { stepToken } from '../../../k8s/model/machine-deployment.ts';
import type { KubeObject } from '../../world/kubernetes/kube-object.ts';
import type { People } from './people.ts';

/** What a deployment's machines are of, in its template. */
export const VERSION = 'example.com/version';
/** Of templates whose machines never come up, of such that every other one of does, and of such whose machines fall ill soon after. */
const DOOMED = 'doomed';
const MIXED = 'mixed';
const ILL = 'ill';
const BAD = [DOOMED, MIXED, ILL];
/** How likely one of a mixed template comes up. */
const MIXED_SHARE = 0.5;
/** When one falls ill that will, at most, in milliseconds from when its kubelet comes up. */
const MOST_WELL_MS = 90_000;
/** How long nothing may be replaced, on average, in milliseconds. */
const NEVER_MS = 120_000;

/** Rollouts by steps, and such that stop. */
export const STEPPED = [
  { maxSurge: 1, steps: [{ machines: 1 }, { pause: { for: '1m' } }, { machines: '50%' }, { approval: {} }] },
  { maxSurge: 1, maxUnavailable: 1, onFailure: 'Rollback', steps: [{ machines: 1 }, { approval: {} }] },
  { maxSurge: 2, maxUnavailable: 1, failureThreshold: 2, steps: [{ machines: 2 }, { pause: {} }] },
  {
    maxSurge: 0,
    maxUnavailable: 1,
    onFailure: 'Continue',
    steps: [{ pause: {} }, { machines: '25%' }, { approval: {} }],
  },
  { maxSurge: '50%', maxUnavailable: '25%' },
  { maxSurge: 1, maxUnavailable: 1 },
].map((rollingUpdate) => ({ type: 'RollingUpdate', rollingUpdate }));

/** What people do to deployments that go by steps. */
export const STEP_DEEDS = {
  'release anew': toSome((people, { metadata: { name } }) => releaseAs(people, name, String(people.nextNumber()))),
  'release what fails': toSome((people, { metadata: { name } }) => {
    const kind = people.random.pick([DOOMED, MIXED, MIXED, ILL]) ?? DOOMED;
    return releaseAs(people, name, `${kind}-${people.nextNumber()}`);
  }),
  /** As `millwright rollout approve` and `millwright rollout resume`. */
  'let step': toSome(letStep),
  'forbid replacing': toSome(async (people, { metadata: { name } }) => {
    await forbid(people, name, true);
    people.later(people.random.around(NEVER_MS), () => forbid(people, name, false));
  }),
  /** As `millwright rollout undo`, by some set that is kept. */
  'undo rollout': toSome(async (people, { metadata: { name, uid } }) => {
    const kept = people.sets().filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    const version = people.random.pick(kept)?.spec.template?.metadata?.annotations?.[VERSION];
    await releaseAs(people, name, version ?? null, { paused: false });
  }),
} satisfies Record<string, (people: People) => Promise<void> | void>;

/** The kubelet of an instance whose Machine is of a template without hope does not come up, or hangs soon. */
export function doomByVersion(people: People): void {
  const { universe, random } = people;
  const joins = new Map<string, boolean>();
  universe.joins = ({ id, providerID, machineUid = '' }) => {
    const known = joins.get(id);
    if (known !== undefined) return known;
    const version = versionOf(universe.api.store.byUid(machineUid));
    const comesUp = version.startsWith(MIXED) ? random.chance(MIXED_SHARE) : !version.startsWith(DOOMED);
    joins.set(id, comesUp);
    if (version.startsWith(ILL)) {
      const wellMs = random.between(0, MOST_WELL_MS);
      universe.agenda.after(wellMs, () => universe.kubelets.hang(providerID, Infinity));
    }
    return comesUp;
  };
}

/** Nothing of what they want keeps a rollout from its end. */
export async function letSteps(people: People, deployment: MachineDeploymentObject): Promise<void> {
  const { metadata, spec } = deployment;
  if (spec.strategy?.replace === 'Never') await forbid(people, metadata.name, false);
  const version = spec.template.metadata?.annotations?.[VERSION] ?? '';
  if (BAD.some((kind) => version.startsWith(kind))) {
    await releaseAs(people, metadata.name, String(people.nextNumber()));
  }
  await letStep(people, deployment);
}

async function letStep(people: People, stored: MachineDeploymentObject): Promise<void> {
  const { machineDeployment: deployment, status } = openshift.machineDeployment.read(stored);
  const { step } = status;
  const waiting = step && deployment.strategy.steps[step.passed]?.kind;
  if (step === undefined || waiting === undefined || waiting === 'machines') return;
  const { name } = deployment.ref;
  const token = stepToken(step, step.passed + 1);
  people.tell(`has ${name} go on: ${token}`);
  const what = waiting === 'approval' ? 'approve' : 'resume';
  await people.patch(MACHINE_DEPLOYMENTS, name, openshift.machineDeployment.writeStepWord(what, { token }));
}

async function releaseAs(people: People, name: string, version: string | null, spec: object = {}): Promise<void> {
  people.tell(`releases template ${version ?? 'without a version'} of ${name}`);
  const template = { metadata: { annotations: { [VERSION]: version } } };
  await people.patch(MACHINE_DEPLOYMENTS, name, { spec: { ...spec, template } });
}

async function forbid(people: People, name: string, isForbidden: boolean): Promise<void> {
  people.tell(`${isForbidden ? 'forbids' : 'allows'} that machines of ${name} are replaced`);
  const strategy = { replace: isForbidden ? 'Never' : 'Allowed' };
  await people.patch(MACHINE_DEPLOYMENTS, name, { spec: { strategy } });
}

function versionOf(machine: KubeObject | undefined): string {
  return machine?.metadata.annotations?.[VERSION] ?? '';
}

function toSome(deed: (people: People, deployment: MachineDeploymentObject) => Promise<void>) {
  return async (people: People): Promise<void> => {
    const deployment = people.random.pick(people.universe.api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS));
    if (deployment !== undefined) await deed(people, deployment);
  };
}
