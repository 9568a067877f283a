import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { INSTANCE_UNKNOWN_ANNOTATION, type Node } from '../../../k8s/model/node.ts';
import { EVENTS, NODES, SECRETS } from '../../../k8s/resources.ts';
import { getStack } from '../../integration/stack.ts';
import { until } from '../../integration/until.ts';
import { connectSignals } from '../pokes.ts';
import { labelsOf, machineSpec, ONLY, PATIENCE, type Life } from './life.ts';

const CREDENTIALS = 'credentials';
/** The cloud has to fail for five minutes. */
const UNTIL_IT_GOES = { timeoutMs: 480_000, everyMs: 1000 };

/**
 * The credentials of its cloud are taken away, and it is deleted by force: it goes without its instance, and its Node stays. When they are
 * there again, the instance ends, and the Node goes.
 */
export const FORCED: Life = {
  machines: 1,
  isSlow: true,

  async begin({ name, cloud }) {
    const { apiVersion, kind } = MACHINES;
    const providerSpec = { ...cloud.providerSpec, credentialsSecret: { name: CREDENTIALS } };
    await createCredentials(name);
    await getStack().kube.create(MACHINES, name, {
      apiVersion,
      kind,
      metadata: { name: ONLY, namespace: name, labels: labelsOf(name) },
      spec: { ...machineSpec({ cloud: { ...cloud, providerSpec } }), deletionPolicy: 'forced' },
    });
  },

  async end({ name, look }, [machine]) {
    const { kube } = getStack();
    const { nodeRef, providerStatus } = machine?.status ?? {};
    const uid = machine?.metadata.uid ?? '';
    const readNode = () => unlessGone(kube.get<Node>(NODES, undefined, nodeRef?.name ?? ''));

    await kube.delete(SECRETS, name, CREDENTIALS);
    await kube.delete(MACHINES, name, ONLY);
    await until(`${name}: no machine is left`, look, (left) => left.length === 0, UNTIL_IT_GOES);
    const kept = await readNode();
    await createCredentials(name);

    // By itself its workflow looks ever more seldom.
    const signals = await connectSignals();
    const lookAgain = async () => {
      await signals.wake({ ...MACHINES, namespace: name, name: ONLY, uid });
      return readNode();
    };
    await until(`${name}: its Node is gone`, lookAgain, (node) => node === undefined, PATIENCE);
    await signals.close();
    const { items } = await kube.list<{ readonly reason: string }>(EVENTS, { namespace: name });
    const told = items.filter(({ reason }) => reason === 'InstanceAbandoned').length;
    const isKept =
      kept?.spec?.unschedulable === true &&
      kept.metadata.annotations?.[INSTANCE_UNKNOWN_ANNOTATION] === providerStatus?.instanceId;
    return [
      ...(isKept ? [] : ['its Node was not there, cordoned and marked, when the Machine had gone by force']),
      ...(told === 1 ? [] : [`${told} events tell that the Machine went without its instance`]),
    ];
  },
};

/** The cloud lets in everybody: what counts is that they are there. */
async function createCredentials(namespace: string): Promise<void> {
  await getStack().kube.create(SECRETS, namespace, { metadata: { name: CREDENTIALS }, stringData: { token: 'any' } });
}
