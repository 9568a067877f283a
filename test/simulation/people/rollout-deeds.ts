import type { MachineDeploymentObject } from '../../../k8s/api/machine.openshift.io/machine-deployment.ts';
import { DELETE_MACHINE_ANNOTATION } from '../../../k8s/dialects/openshift/labels.ts';
import { MACHINE_DEPLOYMENTS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACE } from '../../world/builders/metadata.ts';
import { aMachineDeployment } from '../../world/builders/a-machine-deployment.ts';
import type { People } from './people.ts';
import { doomByVersion, letSteps, STEPPED } from './step-deeds.ts';

/** How long a rollout stays paused, on average, in milliseconds. */
const PAUSED_MS = 90_000;
/** How often somebody deletes what has failed, in milliseconds. */
const CLEANED_EVERY_MS = 120_000;
/** From its launch on, a machine of a rollout by steps that is not available after so long is too late. */
const DEADLINE_SECONDS = 90;
/** As cluster-autoscaler finds what it may scale. */
const SIZES = {
  'machine.openshift.io/cluster-api-autoscaler-node-group-min-size': '0',
  'machine.openshift.io/cluster-api-autoscaler-node-group-max-size': '9',
};
/** How many templates a deployment goes back and forth between. */
const TEMPLATES = 4;

/** How rollouts are bounded: numbers and shares, one of which may come to 0. */
const STRATEGIES = [
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 1, onFailure: 'Continue' } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1, onFailure: 'Rollback' } },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: '50%', maxUnavailable: '25%' } },
  { type: 'Recreate' },
] as const;

/**
 * Deployments of so many machines each. Machines that have failed are deleted by somebody: no set does so.
 *
 * @param bySteps they go by steps, and stop for machines that do not come up
 * @param isSized they have sizes for cluster-autoscaler
 */
export async function createDeployments(
  people: People,
  {
    replicas,
    bySteps,
    isSized,
  }: { readonly replicas: readonly number[]; readonly bySteps: boolean; readonly isSized: boolean },
): Promise<void> {
  if (bySteps) doomByVersion(people);
  for (const [n, count] of replicas.entries()) {
    const strategy = people.random.pick<object>(bySteps ? STEPPED : STRATEGIES);
    const { apiVersion, kind, spec } = aMachineDeployment({ name: `pool-${n + 1}` });
    const template = { ...spec.template, spec: { providerSpec: { value: people.value } } };
    const annotations = isSized ? { annotations: SIZES } : {};
    const metadata = { name: `pool-${n + 1}`, namespace: NAMESPACE, ...annotations };
    const deadline = bySteps ? { progressDeadlineSeconds: DEADLINE_SECONDS } : {};
    const wanted = { ...spec, replicas: count, strategy, template, ...deadline };
    await people.others.create(MACHINE_DEPLOYMENTS, NAMESPACE, { apiVersion, kind, metadata, spec: wanted });
    people.tell(`creates MachineDeployment ${metadata.name} of ${count}: ${JSON.stringify(strategy)}`);
  }
  const clean = async (): Promise<void> => {
    const failed = people
      .machines()
      .filter(({ metadata, status }) => metadata.labels?.['pool'] !== undefined && status?.phase === 'Failed');
    for (const { metadata } of failed) await people.deleteMachine(metadata.name);
    // A rollout that stopped for what failed is told to go on when that is gone.
    if (people.isOver) await letRoll(people);
    people.universe.agenda.after(CLEANED_EVERY_MS, () => void clean());
  };
  await clean();
}

/** What people do to deployments. */
export const ROLLOUT_DEEDS = {
  release: toSome((people, { metadata: { name } }) => release(people, name)),
  /** Another template before the first one is rolled out. */
  'release twice': toSome(async (people, { metadata: { name } }) => {
    people.later(people.random.around(20_000), () => release(people, name));
    await release(people, name);
  }),
  'scale deployment': toSome(async (people, { metadata: { name } }) => {
    const replicas = people.random.below(people.mostReplicas + 1);
    people.tell(`scales ${name} to ${replicas}`);
    await patch(people, name, { replicas });
  }),
  /** As cluster-autoscaler does it, which marks a Machine in whichever set it is, and then makes the deployment smaller. */
  'mark and scale deployment': toSome(async (people, { metadata: { name }, spec: { replicas } }) => {
    const members = people.machines().filter(({ metadata }) => metadata.labels?.['pool'] === name);
    const machine = people.random.pick(members)?.metadata.name;
    if (machine === undefined || replicas === 0) return;
    people.tell(`marks Machine ${machine} for deletion`);
    await people.patch(MACHINES, machine, { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: '' } } });
    people.tell(`scales ${name} to ${replicas - 1}`);
    await patch(people, name, { replicas: replicas - 1 });
  }),
  'pause rollout': toSome(async (people, { metadata: { name } }) => {
    people.tell(`pauses the rollout of ${name}`);
    await patch(people, name, { paused: true });
    people.later(people.random.around(PAUSED_MS), () => resume(people, name));
  }),
  /** As somebody who does not know that it belongs to a deployment. */
  'meddle with a set': async (people: People): Promise<void> => {
    const set = people.random.pick(people.sets());
    if (set !== undefined) await people.scale(set.metadata.name, people.random.below(people.mostReplicas + 1));
  },
} satisfies Record<string, (people: People) => Promise<void> | void>;

/** Nothing keeps a rollout from going on any more. */
export async function letRoll(people: People): Promise<void> {
  for (const deployment of deploymentsOf(people)) {
    if (deployment.spec.paused) await resume(people, deployment.metadata.name);
    await letSteps(people, deployment);
  }
}

function deploymentsOf({ universe }: Pick<People, 'universe'>): readonly MachineDeploymentObject[] {
  return universe.api.all<MachineDeploymentObject>(MACHINE_DEPLOYMENTS);
}

async function release(people: People, name: string): Promise<void> {
  const version = String(people.random.below(TEMPLATES));
  people.tell(`releases template ${version} of ${name}`);
  await patch(people, name, { template: { metadata: { annotations: { 'example.com/version': version } } } });
}

async function resume(people: People, name: string): Promise<void> {
  people.tell(`resumes the rollout of ${name}`);
  await patch(people, name, { paused: false });
}

async function patch(people: People, name: string, spec: object): Promise<void> {
  await people.patch(MACHINE_DEPLOYMENTS, name, { spec });
}

function toSome(deed: (people: People, deployment: MachineDeploymentObject) => Promise<void> | void) {
  return async (people: People): Promise<void> => {
    const deployment = people.random.pick(deploymentsOf(people));
    if (deployment !== undefined) await deed(people, deployment);
  };
}
