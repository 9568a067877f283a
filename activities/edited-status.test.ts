import { beforeEach, describe, expect, it } from '@jest/globals';
import { tokenOf } from '../k8s/launch-token.ts';
import { aCluster } from '../test/world/builders/a-cluster.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World, type WorldOptions } from '../test/world/world.ts';
import type { MachineTarget } from '../workflows/machine/machine-activities.ts';

const CLOUD = { provider: 'simulated', credentials: { namespace: 'default', region: 'sim-1' } };

let world: World;
let target: MachineTarget;

function begin(options: WorldOptions = {}): void {
  world = new World(ownClock(), options);
  world.kube.put(aCluster());
}

beforeEach(() => begin());

/** The Machine m, whose status names an instance with these tags and token beside its launch. */
async function named(tags: Readonly<Record<string, string>>, token?: string): Promise<string> {
  const { id } = await world.cloud.launch(tags, token);
  target = world.addMachine({ instanceId: id, launch: {} });
  return id;
}

const look = (id: string) => world.run((on) => on.lookAtInstance({ ...target, id }));
const terminate = (id: string) => world.run((on) => on.terminateInstance({ ...target, id, lookAfterMs: 10 }));
const endLeftover = (id: string, known: { readonly isKnownOwn?: true } = {}) =>
  world.run((on) => on.lookAtLeftover({ ...target, id, cloud: CLOUD, ends: true, ...known }));
const stateOf = (id: string) => world.cloud.instance(id)?.state;

describe('an instance that an edited status names beside a launch', () => {
  it('is another’s where another’s token launched it, although it carries no uid', async () => {
    const id = await named({ cluster: 'c1', name: 'another' }, tokenOf('uid-of-another', 1));
    expect(await look(id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(id)).toMatchObject({ outcome: 'foreign' });
    expect(stateOf(id)).toBe('running');
  });

  it('is the Machine’s where its own token launched it', async () => {
    const id = await named({}, tokenOf('uid-of-m', 3));
    expect(await look(id)).toMatchObject({ outcome: 'found' });
    expect(await terminate(id)).toMatchObject({ outcome: 'asked' });
  });

  it('is adopted, with its tag first, where it may be adopted anyway', async () => {
    const id = await named({ cluster: 'c1', name: 'm' }, 'of-the-machine-api');
    expect(await look(id)).toMatchObject({ outcome: 'found' });
    expect(world.cloud.instance(id)?.tags).toMatchObject({ machineUid: 'uid-of-m' });
  });
});

describe('an instance without a uid and without a token that an edited status names beside a launch', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['nothing tells whose it is', {}],
    ['its cluster is not allowed', { cluster: 'c2' }],
    ['its Name is not the Machine’s, although its cluster is allowed', { cluster: 'c1', name: 'control-plane' }],
    ['it was launched for a Machine of another namespace', { cluster: 'c1', namespace: 'elsewhere', name: 'm' }],
    ['it is another Kubernetes cluster’s', { name: 'm', clusterUid: 'uid-of-another' }],
  ])('is not touched where %s', async (_what, tags) => {
    const id = await named(tags);
    expect(await look(id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(id)).toMatchObject({ outcome: 'foreign' });
    expect(stateOf(id)).toBe('running');
  });

  const FITTING: readonly [string, Readonly<Record<string, string>>][] = [
    ['its Name is the Machine’s', { name: 'm' }],
    ['its cluster is allowed, and nothing names another', { cluster: 'c1' }],
  ];

  it.each(FITTING)('was launched by another where the cloud keeps tokens, although %s', async (_what, tags) => {
    const id = await named(tags);
    expect(await look(id)).toMatchObject({ outcome: 'foreign' });
    expect(await terminate(id)).toMatchObject({ outcome: 'foreign' });
    expect(stateOf(id)).toBe('running');
  });

  it.each(FITTING)(
    'is the Machine’s, whose tags somebody took off, where the cloud keeps none and %s',
    async (_what, tags) => {
      begin({ tokens: false });
      const id = await named(tags);
      expect(await look(id)).toMatchObject({ outcome: 'found' });
      expect(world.cloud.instance(id)?.tags).not.toHaveProperty('machineUid');
      expect(await terminate(id)).toMatchObject({ outcome: 'asked' });
    },
  );
});

describe('what a Machine that went by force left behind', () => {
  it.each<[string, Readonly<Record<string, string>>, string | undefined, string]>([
    ['ends where its uid tells that it was the Machine’s', { machineUid: 'uid-of-m' }, undefined, 'terminated'],
    ['ends where its token does', {}, tokenOf('uid-of-m', 2), 'terminated'],
    ['stays where another’s token launched it', {}, tokenOf('uid-of-another', 1), 'running'],
    ['stays where nothing tells whose it is', {}, undefined, 'running'],
  ])('%s', async (_what, tags, token, state) => {
    const id = await named(tags, token);
    expect(await endLeftover(id)).toEqual({ outcome: state === 'running' ? 'there' : 'gone' });
    expect(stateOf(id)).toBe(state);
  });

  it('ends without tags where the launch was seen to be answered with it', async () => {
    const id = await named({});
    expect(await endLeftover(id, { isKnownOwn: true })).toEqual({ outcome: 'gone' });
  });
});
