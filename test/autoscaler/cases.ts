import type { MachineObject } from '../../k8s/api/machine.openshift.io/machine.ts';
import { DEFAULT_TYPE, type CaseWorld, type GroupWish } from './case-world.ts';

/** What a case is about, and how it is played. It answers with what was seen, sentence by sentence, and throws where that is not as it should be. */
export interface Case {
  readonly title: string;
  readonly play: (world: CaseWorld, patienceMs: number) => Promise<readonly string[]>;
}

const SET: GroupWish = { kind: 'MachineSet', name: 'scaled-set', replicas: 0, min: 0, max: 3 };
const DEPLOYMENT: GroupWish = { kind: 'MachineDeployment', name: 'scaled-deployment', replicas: 1, min: 1, max: 4 };
/** Its type is one of which the cloud has none. Its Nodes look smaller, so that it is the first choice. */
const FULL: GroupWish = {
  kind: 'MachineSet',
  name: 'full-set',
  replicas: 0,
  min: 0,
  max: 2,
  pool: 'either',
  instanceType: 'sim.full',
  annotations: {
    'capacity.cluster-autoscaler.kubernetes.io/cpu': '3',
    'capacity.cluster-autoscaler.kubernetes.io/memory': '8Gi',
  },
};
const ROOMY: GroupWish = { kind: 'MachineSet', name: 'roomy-set', replicas: 0, min: 0, max: 2, pool: 'either' };

export const CASES: readonly Case[] = [
  {
    title: 'up from zero',
    async play(world, patienceMs) {
      await world.makeGroup(SET);
      await world.runPods(SET.name, ['set-1', 'set-2', 'set-3']);
      return grown(world, SET, ['set-1', 'set-2', 'set-3'], patienceMs);
    },
  },
  {
    title: 'up a deployment',
    async play(world, patienceMs) {
      await world.makeGroup(DEPLOYMENT);
      // A group of which cluster-autoscaler cannot tell yet what its Nodes are like has none coming, for it, and gets one too many.
      await world.until(
        `${DEPLOYMENT.name} has its first machine`,
        patienceMs,
        () => world.machinesOf(DEPLOYMENT.name),
        ([machine]) => machine?.status?.phase === 'Running',
      );
      await world.runPods(DEPLOYMENT.name, ['deployed-1', 'deployed-2', 'deployed-3']);
      return grown(world, DEPLOYMENT, ['deployed-1', 'deployed-2', 'deployed-3'], patienceMs);
    },
  },
  {
    title: 'down by the right machine, in a set',
    play: (world, patienceMs) => shrunk(world, SET, 'set-2', patienceMs),
  },
  {
    title: 'down by the right machine, in a deployment',
    play: (world, patienceMs) => shrunk(world, DEPLOYMENT, 'deployed-2', patienceMs),
  },
  {
    title: 'a group without capacity left for another',
    async play(world, patienceMs) {
      await world.behave('sim.full', { capacity: 0 });
      await world.makeGroup(FULL);
      await world.makeGroup(ROOMY);
      await world.runPods('either', ['either-1']);
      const tried = await world.until(
        `${FULL.name} is tried first, and its machine is Failed with a message`,
        patienceMs,
        () => world.machinesOf(FULL.name),
        (machines) => machines.some(({ status }) => status?.phase === 'Failed' && status.failureMessage !== undefined),
      );
      const node = await nodeOf(world, 'either-1', patienceMs);
      // A Node takes pods before its Machine names it.
      await world.until(
        `either-1 runs on ${node}, which is of a machine of ${ROOMY.name}`,
        patienceMs,
        () => world.machinesOf(ROOMY.name),
        ([machine]) => machine?.status?.nodeRef?.name === node,
      );
      await world.until(
        `${FULL.name} is given up`,
        patienceMs,
        async () => [await world.replicasOf(FULL), (await world.machinesOf(FULL.name)).length],
        ([replicas, left]) => replicas === 0 && left === 0,
      );
      const message = tried.find(({ status }) => status?.failureMessage !== undefined)?.status?.failureMessage;
      return [
        `${FULL.name} was tried and failed: ${message}`,
        `it was given up, and the pod runs on ${node} of ${ROOMY.name}`,
      ];
    },
  },
  {
    title: 'a deployment that rolls without room keeps its size',
    async play(world, patienceMs) {
      const { name } = DEPLOYMENT;
      await world.behave('sim.full', { capacity: 0 });
      const before = (await world.machinesOf(name)).map(({ metadata }) => metadata.name);
      await world.changeType(DEPLOYMENT, 'sim.full');
      await world.until(
        `a new machine of ${name} waits for room`,
        patienceMs,
        () => world.machinesOf(name),
        (machines) => machines.some(waitsForRoom),
      );
      const stays = async () => {
        const machines = await world.machinesOf(name);
        const names = machines.map(({ metadata }) => metadata.name);
        const failed = machines.filter(({ status }) => status?.phase === 'Failed').length;
        return {
          replicas: await world.replicasOf(DEPLOYMENT),
          missing: before.filter((one) => !names.includes(one)),
          failed,
        };
      };
      await world.stays(
        `${name} keeps its ${before.length} machines`,
        WITHOUT_ROOM_MS,
        stays,
        ({ replicas, missing, failed }) => replicas === before.length && missing.length + failed === 0,
      );
      await world.changeType(DEPLOYMENT, DEFAULT_TYPE);
      return [`${name} kept its ${before.length} machines, while one that was to replace them waited for room`];
    },
  },
];

/** How long a rollout is watched that finds no room: cluster-autoscaler looks several times meanwhile. */
const WITHOUT_ROOM_MS = 30_000;

function waitsForRoom({ status }: MachineObject): boolean {
  return status?.waiting?.retryClass === 'exhausted';
}

/** Each pod comes to run on a Node of its own. */
async function grown(
  world: CaseWorld,
  group: GroupWish,
  pods: readonly string[],
  patienceMs: number,
): Promise<readonly string[]> {
  const nodes = [];
  for (const pod of pods) nodes.push(await nodeOf(world, pod, patienceMs));
  const replicas = await world.replicasOf(group);
  if (replicas !== pods.length) throw new Error(`${group.name} has ${replicas} replicas for ${pods.length} pods`);
  return [`${group.name} went from ${group.replicas} to ${replicas}; its pods run on ${nodes.join(', ')}`];
}

/** A pod ends: the machine of its Node goes, and no other. */
async function shrunk(world: CaseWorld, group: GroupWish, pod: string, patienceMs: number): Promise<readonly string[]> {
  const node = await nodeOf(world, pod, patienceMs);
  const before = await world.machinesOf(group.name);
  const goes = before.find(({ status }) => status?.nodeRef?.name === node)?.metadata.name;
  await world.endPod(pod);
  const left = await world.until(
    `the machine of ${node} goes`,
    patienceMs,
    () => world.machinesOf(group.name),
    (machines) => machines.length < before.length,
  );
  const names = left.map(({ metadata }) => metadata.name);
  if (goes === undefined || names.includes(goes))
    throw new Error(`another machine than ${goes} went: ${names.join(', ')} are left`);
  const replicas = await world.replicasOf(group);
  if (replicas !== before.length - 1)
    throw new Error(`${group.name} has ${replicas} replicas, and had ${before.length} machines`);
  return [`${pod} ended: machine ${goes} of ${node} went, ${names.join(' and ')} stayed`];
}

async function nodeOf(world: CaseWorld, pod: string, patienceMs: number): Promise<string> {
  const node = await world.until(
    `pod ${pod} is on a Node`,
    patienceMs,
    () => world.nodeOfPod(pod),
    (name) => name !== undefined,
  );
  return node ?? '';
}
