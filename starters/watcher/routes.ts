import type { ObjectRef } from '../../k8s/model/object-ref.ts';
import type { WaitReason } from '../../k8s/model/reasons/reasons.ts';
import { selects } from '../../k8s/selector.ts';
import { routeMachineOfDeployment, routeSetOfDeployment } from './deployment-routes.ts';
import { routeHealth, routeNodeHealth, routeSetHealth } from './health-routes.ts';
import type { MachineDeploymentFacts } from './machine-deployment-facts.ts';
import type { MachineFacts } from './machine-facts.ts';
import type { MachineSetFacts } from './machine-set-facts.ts';
import { hasLostMarks, hasStartedOtherwise, type NodeFacts } from './node-facts.ts';
import type { ObjectIndex } from './object-index.ts';
import { objectKey } from './object-key.ts';
import { routeItself } from './own-facts.ts';
import { routeCount, routeUse } from './source-routes.ts';
import type { Change, Wake } from './wake.ts';

/** What a machine waits for while a hook holds its deletion: until then it keeps its Node closed. */
const HELD_BY_HOOK: WaitReason = 'HookPresent';

/** A MachineSet wakes its own workflow, also where it gets another deployment or loses it, its class, its deployment, and the checks of its namespace. */
export function routeMachineSet(change: Change<MachineSetFacts>, index: ObjectIndex): Wake[] {
  const { before, after } = change;
  const hasAnother = before !== undefined && after !== undefined && before.deployment?.uid !== after.deployment?.uid;
  const itself: Wake[] = hasAnother ? [{ target: after.ref, because: 'object' }] : routeItself(change);
  return [
    ...itself,
    ...routeUse(change, index),
    ...routeSetOfDeployment(change, index),
    ...routeSetHealth(change, index),
  ];
}

/** A MachineDeployment wakes its own workflow, and the checks of its namespace. */
export function routeMachineDeployment(change: Change<MachineDeploymentFacts>, index: ObjectIndex): Wake[] {
  return [...routeItself(change), ...routeSetHealth(change, index)];
}

/** A Machine wakes its own workflow, its MachineSet, the deployments that select it, and the sets that select it although it is another's. */
export function routeMachine(change: Change<MachineFacts>, index: ObjectIndex): Wake[] {
  const ref = (change.after ?? change.before)?.ref;
  if (ref === undefined) return [];
  const because = change.after === undefined ? 'gone' : 'object';
  const itself: Wake[] = concernsItself(change, index) ? [{ target: ref, because }] : [];
  const sets = setsToWake(change, index).map(
    (set) => ({ target: set, because: isPlace(change, set, index) ? 'place' : 'machine' }) as const,
  );
  const counts = [...routeUse(change, index), ...routeCount(change, index), ...routeHealth(change, index)];
  return [...itself, ...sets, ...routeMachineOfDeployment(change, index), ...counts];
}

/** A Node wakes its machine, by what the machine goes by, and the checks of its health. */
export function routeNode(change: Change<NodeFacts>, index: ObjectIndex): Wake[] {
  const { before, after } = change;
  const machines = new Map<string, MachineFacts>();
  for (const node of [before, after]) {
    if (node === undefined) continue;
    for (const machine of index.machinesOf(node)) machines.set(machine.ref.uid, machine);
  }
  const concerned = [...machines.values()].filter((machine) => concernsMachine(change, machine));
  const wakes = concerned.map(({ ref }) => ({ target: ref, because: 'node' }) as const);
  return [...wakes, ...routeNodeHealth(change, index)];
}

function concernsMachine({ before, after }: Change<NodeFacts>, machine: MachineFacts): boolean {
  // On its way out it asks only whether a Node that it drains falls silent, one that it keeps closed is uncordoned, or one that could not answer
  // does so again.
  // That the Node is gone is most often its own last step but one: a signal then would begin the workflow anew that has just ended.
  if (machine.isDeleting) return answersOtherwise(before, after, machine);
  if (before === undefined || after === undefined || before.fingerprint !== after.fingerprint) return true;
  if (before.claims.join() !== after.claims.join() && !after.claims.includes(objectKey(machine.ref))) return true;
  if (machine.nodeName !== after.ref.name) return before.addresses.join() !== after.addresses.join();
  // What the machine says already is no news to it.
  if (before.ready !== after.ready && machine.nodeReady !== after.ready) return true;
  if (!before.isOpened && after.isOpened) return true;
  if (before.use !== after.use || hasStartedOtherwise(before, after, machine.startupTaints)) return true;
  return hasLostMarks(before, after, machine);
}

function answersOtherwise(before: NodeFacts | undefined, after: NodeFacts | undefined, machine: MachineFacts): boolean {
  if (before === undefined || after === undefined) return false;
  if (before.isDraining && !machine.isDrained && after.isOpened) return true;
  if (!before.isOpened && after.isOpened && machine.waiting?.reason === HELD_BY_HOOK) return true;
  if (before.ready === after.ready) return false;
  return after.ready === 'True' || (after.ready === 'Unknown' && after.isDraining && !machine.isDrained);
}

function concernsItself({ before, after }: Change<MachineFacts>, index: ObjectIndex): boolean {
  if (before === undefined || after === undefined || before.fingerprint !== after.fingerprint) return true;
  // They arrive by our own write, but nobody else is to take them away.
  if (before.hasFinalizer && !after.hasFinalizer) return true;
  if (before.hasRecord && !after.hasRecord) return true;
  if (before.providerID !== '' && after.providerID === '') return true;
  // Somebody else's: to be adopted, or to be refused.
  if (after.foreignProviderID !== '' && before.foreignProviderID !== after.foreignProviderID) return true;
  // Our own write as well; but what the Node came to meanwhile was no news by what was known here.
  if (before.nodeReady !== after.nodeReady && isNodeOtherwise(after, index)) return true;
  // Also our own write; but where the Node came first, no change of the Node is to be expected any more.
  return before.instance !== after.instance && index.hasNodeOf(after);
}

/** Its Node's readiness is not the one that its status tells. */
function isNodeOtherwise({ nodeName, nodeReady, isDeleting }: MachineFacts, index: ObjectIndex): boolean {
  const node = nodeName === undefined || isDeleting ? undefined : index.node(nodeName);
  return node !== undefined && node.ready !== nodeReady;
}

function setsToWake({ before, after }: Change<MachineFacts>, index: ObjectIndex): ObjectRef[] {
  if (before?.ownerFingerprint === after?.ownerFingerprint) return [];
  const isOtherwiseSelected = labelsOf(before) !== labelsOf(after);
  const sets = new Map<string, ObjectRef>();
  for (const machine of [before, after]) {
    if (machine === undefined) continue;
    const { controller, isForeign } = machine;
    if (controller !== undefined) sets.set(controller.uid, controller);
    // An orphan may be adopted by any of them; what is another's is in their way for as long as it is there.
    const concernsAll = controller === undefined && !isForeign;
    if (!concernsAll && !isOtherwiseSelected) continue;
    for (const set of setsSelecting(machine, index)) sets.set(set.uid, set);
  }
  return [...sets.values()];
}

/** A Machine that goes has come further, and its set misses one: it may make another in its place by now. */
function isPlace({ before, after }: Change<MachineFacts>, set: ObjectRef, index: ObjectIndex): boolean {
  if (before === undefined || before.going === after?.going || before.going === undefined) return false;
  const replicas = index.machineSets.get(objectKey(set))?.replicas;
  return replicas !== undefined && replicas.total < replicas.wanted;
}

function setsSelecting({ ref, labels }: MachineFacts, index: ObjectIndex): ObjectRef[] {
  return index.machineSets
    .by('namespace', ref.namespace)
    .filter(({ selector }) => selects(selector, labels))
    .map((set) => set.ref);
}

/** Changes with which sets select the machine; that it is another set's by now concerns these two only. */
function labelsOf(machine: MachineFacts | undefined): string | undefined {
  return machine && JSON.stringify(Object.entries(machine.labels));
}
