import type { NodeSighting } from './machine-activities.ts';
import { INSPECT_STEP } from './instance.ts';
import type { Life, Next } from './life.ts';
import { ATTACH_STEP } from './load-balancers.ts';
import { local } from './ports.ts';

const STEP = 'JoinCluster';

/**
 * Links the machine with its Node, and follows the Node's readiness. A Node that does not join in time makes the machine
 * Failed; the instance is kept, to be looked into, and whoever owns the machine decides what becomes of it.
 */
export async function joinCluster(life: Life): Promise<Next | undefined> {
  const { memory, status } = life;
  if (life.seen.node?.inSync === true) {
    follow(life, life.seen.node);
    return undefined;
  }
  const { launch } = status;
  memory.joinBy ??= (launch === undefined ? life.nowMs : Date.parse(launch.preparedAt)) + life.creationTimeoutMs;
  const answer = await local.joinNode({
    ...life.target,
    addresses: status.addresses.map((a) => a.address),
    ...(launch === undefined ? {} : { notBefore: launch.preparedAt }),
  });
  if (answer.outcome === 'joined') {
    follow(life, answer.node);
    return undefined;
  }
  if (status.nodeRef !== undefined) return missNode(life, status.nodeRef.name);
  const blocked = answer.outcome === 'ambiguous' ? `: ${answer.message}` : '';
  if (life.nowMs >= memory.joinBy) {
    return life.fail(
      'JoinClusterTimeoutError',
      `no Node joined within ${life.creationTimeoutMs / 1000} s of the launch of instance ${status.instance?.id ?? ''}${blocked}. The instance is kept; delete the Machine to terminate it.`,
    );
  }
  const message = `instance ${status.instance?.id ?? ''} was created; its Node ${life.providerID ?? ''} has not joined yet${blocked}`;
  life.wait(STEP, answer.outcome === 'ambiguous' ? 'NodeAmbiguous' : 'NodeNotJoined', message, memory.joinBy);
  return { at: memory.joinBy, why: message };
}

function follow(life: Life, node: NodeSighting): void {
  if (life.status.nodeRef?.uid !== node.uid) {
    life.event = { type: 'Normal', reason: 'SuccessfulSetNodeRef', message: `Node ${node.name} is the machine's` };
  }
  // What is under way besides keeps its place: since when it waits is not news of the Node.
  if (![INSPECT_STEP, ATTACH_STEP].includes(life.status.waiting?.step ?? '')) life.proceed();
  life.set({ phase: 'Running', nodeRef: { name: node.name, uid: node.uid } });
  const ready = node.ready === 'True';
  life.setCondition(
    {
      type: 'NodeReady',
      status: node.ready,
      reason: ready ? 'NodeReady' : 'NodeNotReady',
      message: ready ? `Node ${node.name} is Ready` : `Node ${node.name} is not Ready: ${node.readyMessage}`,
    },
    node.readySince,
  );
  const { memory } = life;
  if (ready && !memory.settled) settleLater(life);
  if (!ready) delete memory.settleAt;
  // A Node that stopped being Ready is a reason to look at the instance behind it, once.
  if (!ready && memory.settled) {
    memory.settled = false;
    memory.inspect = true;
  }
}

/**
 * What the cloud knows by now, its addresses above all, can wait until machines that are still coming up are up. The looks of
 * those that became Ready within half of that time fall on the same moment: they share a call.
 */
function settleLater({ memory, settings, nowMs }: Life): void {
  const apartMs = (settings.settleLookSeconds * 1000) / 2;
  memory.settleAt ??= Math.ceil((nowMs + settings.settleLookSeconds * 1000) / apartMs) * apartMs;
}

/** The Node object went away after it had joined. The machine keeps its link, in case the kubelet registers again. */
function missNode(life: Life, name: string): Next {
  const message = `Node ${name} was deleted; the machine is linked again when a Node with its providerID registers`;
  life.setCondition({ type: 'NodeReady', status: 'Unknown', reason: 'NodeMissing', message });
  life.wait(STEP, 'NodeMissing', message);
  if (life.memory.settled) {
    life.memory.settled = false;
    life.memory.inspect = true;
  }
  return { why: message };
}
