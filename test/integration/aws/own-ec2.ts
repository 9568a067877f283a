import { setTimeout as delay } from 'node:timers/promises';
import { createEc2Classifier } from '../../../devstack/doubles/fault-proxy/ec2-classifier.ts';
import type { Ec2Behaviour } from '../../../devstack/doubles/cloud/ec2-front/behaviour.ts';
import type { Disturbance } from '../../../devstack/doubles/cloud/ec2-front/disturbances.ts';
import type { Ec2Ledger } from '../../../devstack/doubles/cloud/ec2-front/ledger.ts';
import { startEc2 } from '../../../devstack/stack/start-ec2.ts';
import { listInstances } from '../../../devstack/doubles/hollow-nodes/cloud-instances.ts';
import { Kubelets } from '../../../devstack/doubles/hollow-nodes/kubelets.ts';
import { awsEnvironment } from '../../../devstack/stack/processes/aws-environment.ts';
import { terminalProgress } from '../../../devstack/start/terminal-progress.ts';
import { SECRETS } from '../../../k8s/resources.ts';
import type { FaultCloud } from '../../faults/fault-cloud.ts';
import { getStack } from '../stack.ts';
import { EC2_PROVIDER_SPEC } from './ec2-provider-spec.ts';
import { given } from '../../../providers/given.ts';

const LOOK_EVERY_MS = 500;
const JOIN_DELAY_MS = 1000;

/** An EC2 of a test's own: moto behind the front, and the kubelets of its instances in the shared cluster. */
export interface OwnEc2 extends FaultCloud {
  /** Sets how instances of a type, or of all with `*`, behave from now on. */
  behave(instanceType: string, behaviour: Ec2Behaviour): Promise<void>;
  disturb(disturbances: readonly Disturbance[]): Promise<void>;
  /** Of one Machine, by uid, or of all. */
  ledger(machineUid?: string): Promise<Ec2Ledger>;
  /** As somebody with a console would: nobody tells the Machine. */
  byHand(id: string, operation: 'terminate' | 'stop' | 'start' | 'vanish' | 'reappear'): Promise<void>;
  stop(): Promise<void>;
}

export interface OwnEc2Options {
  /** How long describes show nothing of an instance that was made. @default 0 */
  readonly lagSeconds?: number;
  /** It has the limits of calls that EC2 documents, and workers keep to them. @default false */
  readonly limits?: boolean;
}

export async function openEc2({ lagSeconds = 0, limits = false }: OwnEc2Options = {}): Promise<OwnEc2> {
  const { kube } = getStack();
  const ec2 = await startEc2({ progress: terminalProgress(), limits });
  const kubelets = new Kubelets({
    client: kube,
    cloud: 'aws',
    listInstances: () => listInstances(ec2.url),
    joinDelayMs: JOIN_DELAY_MS,
    sharesCluster: true,
    say: () => {},
  });
  const ended = new AbortController();
  const running = (async () => {
    while (!ended.signal.aborted) {
      // Either side may be busy for a moment; the next look makes up for it.
      await kubelets.tick().catch((error: unknown) => console.warn(`kubelets: ${String(error)}`));
      await delay(LOOK_EVERY_MS);
    }
  })();

  async function ask<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${ec2.url}${path}`, {
      method,
      ...given({ body: body && JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  if (lagSeconds > 0) await ask('PUT', '/behaviours/*', { visibleAfterMs: lagSeconds * 1000 });
  return {
    endpoint: ec2.url,
    lagSeconds,
    providerSpec: EC2_PROVIDER_SPEC,
    newClassifier: createEc2Classifier,
    workerEnv: (endpoint) => awsEnvironment(endpoint, { limits }),
    async prepare(namespace) {
      await kube.create(SECRETS, namespace, {
        metadata: { name: 'user-data' },
        stringData: { userData: '#cloud-config\n' },
      });
      await kube.create(SECRETS, namespace, {
        metadata: { name: 'aws-credentials' },
        stringData: { aws_access_key_id: 'AKIATEST', aws_secret_access_key: 'secret-of-the-test' },
      });
    },
    behave: (instanceType, behaviour) => ask('PUT', `/behaviours/${instanceType}`, behaviour),
    disturb: (disturbances) => ask('PUT', '/disturbances', { disturbances }),
    ledger: (machineUid) => ask('GET', `/ledger${machineUid === undefined ? '' : `?machine=${machineUid}`}`),
    byHand: (id, operation) => ask('POST', `/instances/${id}/${operation}`),
    async stop() {
      ended.abort();
      await running;
      await ec2.stop();
    },
  };
}
