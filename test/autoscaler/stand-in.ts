/**
 * A small stand-in for cluster-autoscaler, for the test of `npm run autoscaler`: it takes the flags that the runner gives, makes the same
 * calls (calls.ts), and decides by much simpler rules, one pod of three cores to a Node. It is no autoscaler to use.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Node } from '../../k8s/model/node.ts';
import { hasTaint } from '../../k8s/model/taint.ts';
import { readAccess } from './access.ts';
import { AutoscalerCalls, TAINT } from './calls.ts';
import { isRolling, pendingPods, readGroup, type SeenGroup, type SeenPod } from './stand-in-world.ts';

/** A group that had no capacity is not tried again for so long, in milliseconds. */
const BACKOFF_MS = 300_000;

const { values } = parseArgs({ strict: false, args: process.argv.slice(2) });
const flag = (name: string): string => String(values[name] ?? '');
if (process.env['CAPI_GROUP'] !== 'machine.openshift.io') throw new Error('CAPI_GROUP is not machine.openshift.io');
const namespace = /namespace=([^,]+)/.exec(flag('node-group-auto-discovery'))?.[1] ?? 'default';
const scanMs = Number.parseInt(flag('scan-interval'), 10) * 1000;
const unneededMs = Number.parseInt(flag('scale-down-unneeded-time'), 10) * 1000;
const calls = new AutoscalerCalls(await readAccess(flag('kubeconfig')), namespace);

const backoffs = new Map<string, number>();
const unneededSince = new Map<string, number>();

for (const needed of ['machines', 'machinesets', 'machinedeployments']) {
  if (!(await calls.discover()).includes(needed)) throw new Error(`${needed} are not served`);
}
for (;;) {
  try {
    await runOnce();
  } catch (error) {
    console.error(`loop failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  await new Promise((resolve) => setTimeout(resolve, scanMs));
}

async function runOnce(): Promise<void> {
  const [objects, nodes, sets] = await Promise.all([calls.groups(), calls.nodes(), calls.sets()]);
  const read = await Promise.all(objects.map((object) => readGroup(calls, object, nodes)));
  const groups = read.filter((group) => group !== undefined);
  const { items: pods } = await calls.read<{ readonly items: readonly SeenPod[] }>(
    `/api/v1/namespaces/${namespace}/pods`,
  );
  for (const group of groups) await giveUpFailed(group);
  await scaleUp(groups, pods);
  for (const group of groups) if (!isRolling(group.object, sets)) await scaleDown(group, pods);
}

/** Machines that have failed are taken away, and their group is left alone for a while. */
async function giveUpFailed({ id, object, failed, min }: SeenGroup): Promise<void> {
  if (failed.length === 0) return;
  backoffs.set(id, Date.now() + BACKOFF_MS);
  console.log(`${id}: ${failed.length} failed: ${failed[0]?.status?.failureMessage}`);
  await calls.deleteNodes(
    object,
    failed.map(({ metadata }) => metadata.name),
    min,
  );
}

async function scaleUp(groups: readonly SeenGroup[], pods: readonly SeenPod[]): Promise<void> {
  for (const [selector, waiting] of pendingPods(pods)) {
    const fitting = groups.filter(({ id, pool }) => pool === selector && (backoffs.get(id) ?? 0) < Date.now());
    // A Node that has just joined is free until the scheduler has looked at it.
    const taken = ({ ready }: SeenGroup) => ready.filter(({ node }) => isUsed(node, pods) || isGoing(node)).length;
    const upcoming = fitting.reduce((sum, group) => sum + Math.max(0, group.replicas - taken(group)), 0);
    // The least of a Node is wasted.
    const [best] = fitting.filter(({ replicas, max }) => replicas < max).sort((a, b) => a.cpus - b.cpus);
    const wanted = Math.min(waiting - upcoming, (best?.max ?? 0) - (best?.replicas ?? 0));
    if (best === undefined || wanted <= 0) continue;
    const replicas = (await calls.getReplicas(best.object)) + wanted;
    console.log(`${best.id}: scaled up to ${replicas}`);
    await calls.setReplicas(best.object, replicas);
  }
}

async function scaleDown({ id, object, ready, min, replicas }: SeenGroup, pods: readonly SeenPod[]): Promise<void> {
  let left = replicas - min;
  for (const { node, machine } of ready) {
    const { name } = node.metadata;
    const isHeld = node.metadata.annotations?.['cluster-autoscaler.kubernetes.io/scale-down-disabled'] === 'true';
    if (isUsed(node, pods) || isHeld || isGoing(node) || left <= 0) {
      unneededSince.delete(name);
      continue;
    }
    const since = unneededSince.get(name) ?? Date.now();
    unneededSince.set(name, since);
    if (Date.now() - since < unneededMs) continue;
    left -= 1;
    console.log(`${id}: scales down ${name}`);
    await calls.taint(node);
    await calls.deleteNodes(object, [machine.metadata.name], min);
  }
}

function isUsed({ metadata: { name } }: Node, pods: readonly SeenPod[]): boolean {
  return pods.some(({ spec }) => spec.nodeName === name);
}

/** It is marked for its deletion. */
function isGoing({ spec }: Node): boolean {
  return hasTaint(spec?.taints, { key: TAINT, effect: 'NoSchedule' });
}
