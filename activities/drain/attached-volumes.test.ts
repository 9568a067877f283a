import { beforeEach, expect, it } from '@jest/globals';
import { readPod } from '../../k8s/model/pod.ts';
import { VOLUME_ATTACHMENTS, VOLUME_CLAIMS, VOLUMES, type Resource } from '../../k8s/resources.ts';
import { aNode } from '../../test/world/builders/a-node.ts';
import { aPod } from '../../test/world/builders/a-pod.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import { createAttachedVolumes } from './attached-volumes.ts';
import { given } from '../../providers/given.ts';

let world: World;
let nodeNames: string[];

beforeEach(() => {
  world = new World(ownClock());
  nodeNames = [];
});

const handleOf = (name: string) => `kubernetes.io/csi/ebs.csi.aws.com^vol-${name}`;

function put({ apiVersion, kind }: Resource, name: string, spec: object, namespace?: string): void {
  const metadata = { name, uid: `uid-of-${name}`, ...given({ namespace }) };
  const made = { apiVersion, kind, metadata, spec };
  world.kube.put(made);
}

/** A volume of the driver, which a claim of its name is bound to. */
function makeVolume(name: string): void {
  put(VOLUME_CLAIMS, name, { volumeName: `pv-${name}` }, 'default');
  put(VOLUMES, `pv-${name}`, { csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` } });
}

function attach(name: string, node = 'n'): void {
  put(VOLUME_ATTACHMENTS, `att-${name}`, { nodeName: node, source: { persistentVolumeName: `pv-${name}` } });
}

function attached(...claimsThatStay: readonly string[]): Promise<string[]> {
  const node = { ...aNode({ name: 'n' }), status: { volumesAttached: nodeNames.map((name) => ({ name })) } };
  return createAttachedVolumes(world.kube.client, world.clock)(node, [readPod(aPod({ claims: claimsThatStay }))]);
}

it('a volume that is attached by its record and by what the Node says is named once, by its PersistentVolume', async () => {
  makeVolume('data');
  attach('data');
  nodeNames = [handleOf('data')];
  expect(await attached()).toEqual(['pv-data']);
});

it('a volume that only one of them tells of is attached as well', async () => {
  for (const name of ['data', 'other']) makeVolume(name);
  attach('data');
  nodeNames = [handleOf('other')];
  expect(await attached()).toEqual(['pv-data', handleOf('other')]);
});

it('a volume whose PersistentVolume is gone is attached all the same', async () => {
  attach('data');
  nodeNames = [handleOf('data')];
  expect(await attached()).toEqual(['pv-data', handleOf('data')]);
});

it('volumes of pods that stay, and those of other Nodes, are left out', async () => {
  for (const name of ['cache', 'far']) makeVolume(name);
  attach('cache');
  attach('far', 'another');
  nodeNames = [handleOf('cache')];
  expect(await attached('cache')).toEqual([]);
});

it('a PersistentVolume is read only where the Node tells of volumes as well', async () => {
  makeVolume('data');
  attach('data');
  expect(await attached()).toEqual(['pv-data']);
  expect(world.requests.map(({ resource }) => resource.plural)).toEqual(['volumeattachments']);
});
