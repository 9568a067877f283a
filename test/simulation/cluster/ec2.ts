import { isDryRun } from '../../../devstack/doubles/cloud/ec2-front/dry-run.ts';
import { wordOf } from '../../../devstack/doubles/cloud/ec2-front/actions.ts';
import { answerCall } from '../../../devstack/doubles/cloud/ec2-front/api.ts';
import { Ec2Front } from '../../../devstack/doubles/cloud/ec2-front/ec2-front.ts';
import { MACHINE_TAG, MACHINE_UID_TAG } from '../../../devstack/doubles/cloud/ec2-front/machine-tags.ts';
import { MotoInMemory } from '../../../devstack/doubles/cloud/ec2-front/moto-in-memory.ts';
import { instanceTags } from '../../../devstack/doubles/cloud/ec2-front/moto-launches.ts';
import { QueryRequest } from '../../../devstack/doubles/cloud/ec2-front/query-request.ts';
import { wireTo } from '../../../devstack/doubles/cloud/wire/in-memory.ts';
import { createAwsProvider } from '../../../providers/aws/aws-provider.ts';
import { systemClock, type Clock } from '../../../providers/clock.ts';
import { given } from '../../../providers/given.ts';
import type { Provider } from '../../../providers/provider.ts';
import type { SecretReader } from '../../../providers/secret-reader.ts';
import type { Wire, WireRequest } from '../../../providers/wire.ts';
import type { CloudCall, CloudModel, Registration } from './cloud.ts';

const REGION = 'us-east-1';
const ZONE = 'us-east-1a';
const INSTANCE_TYPE = 'm5.large';
const LOAD_BALANCERS = [
  { name: 'old', type: 'classic' },
  { name: 'new', type: 'network' },
];
/** A classic one takes the instance, a network one's two target groups its id and its address. */
export const REGISTRATIONS_OF_EACH = 3;
const KEYS = { accessKeyId: 'AKIASIMULATED', secretAccessKey: 'key-of-the-simulation' };

/** EC2 as the embedded one has it, with the SDK's own client before it. */
export function ec2Cloud(cloudClock: Clock, isBalanced: boolean): CloudModel {
  const digit = (): string => Math.floor(cloudClock.random() * 16).toString(16);
  const newId = (): string => `i-${Array.from({ length: 17 }, digit).join('')}`;
  const moto = new MotoInMemory(cloudClock, newId);
  const front = new Ec2Front({ moto, clock: cloudClock });
  const wire = wireTo((call) => answerCall(front, call));
  return {
    engine: front.engine,
    wire,
    providerOver,
    read,
    ownerOf: ({ [MACHINE_UID_TAG]: machineUid, Name: name }) => given({ machineUid, name }),
    async launchForeign() {
      const tags = { Name: 'single-1', [MACHINE_TAG]: 'default/single-1', 'kubernetes.io/cluster/another': 'owned' };
      const ofTags = Object.entries(tags).flatMap(([key, value], n) => [
        [`TagSpecification.1.Tag.${n + 1}.Key`, key],
        [`TagSpecification.1.Tag.${n + 1}.Value`, value],
      ]);
      const params = {
        Action: 'RunInstances',
        Version: '2016-11-15',
        ImageId: 'ami-1',
        InstanceType: INSTANCE_TYPE,
        MinCount: '1',
        MaxCount: '1',
        'Placement.AvailabilityZone': ZONE,
        'TagSpecification.1.ResourceType': 'instance',
        ...Object.fromEntries(ofTags),
      };
      await front.serve(new QueryRequest(new URLSearchParams(params).toString(), undefined));
      const [foreign] = front.engine.hypervisorView();
      return foreign?.id ?? '';
    },
    instanceTypes: [INSTANCE_TYPE, 'm5.xlarge'],
    spec: {
      apiVersion: 'machine.openshift.io/v1beta1',
      kind: 'AWSMachineProviderConfig',
      ami: { id: 'ami-1' },
      instanceType: INSTANCE_TYPE,
      placement: { region: REGION, availabilityZone: ZONE },
      ...given({ loadBalancers: isBalanced ? LOAD_BALANCERS : undefined }),
    },
    classProvider: 'aws',
    ...given({ registrations: isBalanced ? () => registrationsOf(front, moto) : undefined }),
  };
}

function registrationsOf({ engine }: Ec2Front, { balancers }: MotoInMemory): readonly Registration[] {
  const living = new Set(engine.hypervisorView().map(({ id }) => id));
  const all = [...engine.instances.all()];
  return balancers.registrations().map(({ behind, target }) => {
    const instance = all.find(({ id, addresses }) => id === target || addresses.some((a) => a.address === target));
    const { [MACHINE_UID_TAG]: machineUid = '', Name: name = '' } = instance?.tags ?? {};
    return { behind, target, machineUid, name, isLiving: instance !== undefined && living.has(instance.id) };
  });
}

/**
 * The SDK reads files, once for each process, when it is first used: that is over before time begins, which would
 * otherwise go on meanwhile.
 */
export async function warmUpSdk(): Promise<void> {
  const front = new Ec2Front({ moto: new MotoInMemory(systemClock, () => ''), clock: systemClock });
  const provider = providerOver(
    wireTo((call) => answerCall(front, call)),
    systemClock,
    async () => undefined,
  );
  const credentials = { namespace: 'default', region: REGION };
  await provider.list(credentials, 'none');
  await provider.accountOf?.(credentials);
}

function providerOver(wire: Wire, clock: Clock, readSecret: SecretReader): Provider {
  return createAwsProvider({ clock, wire, readSecret, region: REGION, defaultKeys: async () => KEYS });
}

function read({ headers, body = '' }: WireRequest): CloudCall {
  const request = new QueryRequest(body, headers['authorization']);
  if (isDryRun(request)) return { action: 'dryRun' };
  const action = request.action === 'CreateTags' ? 'tag' : wordOf(request.action);
  if (action === 'launch') return { action, machineUid: instanceTags(request)[MACHINE_UID_TAG] };
  return { action, instance: [...request.list('InstanceId'), ...request.list('ResourceId')][0] };
}
