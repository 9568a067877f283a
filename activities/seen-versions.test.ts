import { expect, test } from '@jest/globals';
import { isConflict, isNotFound, KubeError } from '../k8s/kube-error.ts';
import { MACHINES } from '../k8s/dialects/openshift/resources.ts';
import { aMachine } from '../test/world/builders/a-machine.ts';
import { refOf } from '../test/world/builders/metadata.ts';
import { ApiServer } from '../test/world/kubernetes/api-server.ts';
import type { KubeObject } from '../test/world/kubernetes/kube-object.ts';
import { SeenVersions, type StatusWrite } from './seen-versions.ts';

const MACHINE = aMachine();
const REF = refOf(MACHINE);
const { namespace, name } = REF;

/** A Machine in an API server, and how its phase is written over what was seen of it. */
function world() {
  const server = new ApiServer();
  server.put(MACHINE);
  const asked: string[] = [];
  server.onRequest = (request, carryOut) => {
    asked.push(request.verb);
    return carryOut();
  };
  const versions = new SeenVersions(server.client);
  const stored = () => server.peek(MACHINES, namespace, name);
  return {
    server,
    asked,
    stored,
    see: () => versions.saw(server.require(MACHINES, namespace, name)),
    others: () =>
      server.others.mergePatch(MACHINES, namespace, name, { metadata: { annotations: { at: `${asked.length}` } } }),
    write: (phase: string, first: () => unknown = () => {}, by?: StatusWrite<KubeObject>) => {
      const apply = async (resourceVersion: string) => {
        await first();
        const body = { metadata: { resourceVersion }, status: { phase } };
        const options = { fieldManager: 'ours', subresource: 'status' } as const;
        return server.client.apply<KubeObject>(MACHINES, namespace, name, body, options);
      };
      return versions.write(MACHINES, REF, apply, by);
    },
    /** Another step writes its status, which is not the last look of who writes by an earlier one. */
    another: (phase: string) =>
      server.others.apply(
        MACHINES,
        namespace,
        name,
        { status: { phase } },
        { fieldManager: 'ours', subresource: 'status' },
      ),
  };
}

test('a write goes over what was read, and the next one over the answer, without a read', async () => {
  const { see, write, asked, stored } = world();
  see();
  await write('Provisioning');
  await write('Running');
  expect(stored()).toMatchObject({ status: { phase: 'Running' } });
  expect(asked).toEqual(['apply', 'apply']);
});

test('what was never seen is read first', async () => {
  const { write, asked, stored } = world();
  await write('Running');
  expect(stored()).toMatchObject({ status: { phase: 'Running' } });
  expect(asked).toEqual(['get', 'apply']);
});

test('what others changed is read again, and written', async () => {
  const { see, others, write, asked, stored } = world();
  see();
  await others();
  await write('Running');
  expect(stored()).toMatchObject({ status: { phase: 'Running' } });
  expect(asked).toEqual(['apply', 'get', 'apply']);
});

test('a status that was written since it was seen is not written over', async () => {
  const { see, server, write, asked, stored } = world();
  see();
  const newer = { status: { phase: 'Running' } };
  await server.others.apply(MACHINES, namespace, name, newer, { fieldManager: 'ours', subresource: 'status' });
  expect(await write('Provisioning').catch(isConflict)).toBe(true);
  expect(stored()).toMatchObject({ status: { phase: 'Running' } });
  expect(asked).toEqual(['apply', 'get']);
  // Whoever decides by what is there now may write.
  see();
  await write('Deleting');
  expect(stored()).toMatchObject({ status: { phase: 'Deleting' } });
});

test('nor is one that changes between the tries', async () => {
  const { see, others, server, write, stored } = world();
  see();
  await others();
  let tries = 0;
  const change = async () => {
    if ((tries += 1) === 1) return;
    const newer = { status: { phase: 'Running' } };
    await server.others.apply(MACHINES, namespace, name, newer, { fieldManager: 'ours', subresource: 'status' });
  };
  expect(await write('Provisioning', change).catch(isConflict)).toBe(true);
  expect(stored()).toMatchObject({ status: { phase: 'Running' } });
});

test('what others change each time is not written, after a few tries', async () => {
  const { see, others, write, asked, stored } = world();
  see();
  expect(await write('Running', others).catch(isConflict)).toBe(true);
  expect(stored()).not.toHaveProperty('status.phase');
  expect(asked.filter((verb) => verb === 'apply')).toHaveLength(3);
});

test('what is gone, or another one by now, is not written', async () => {
  const it = world();
  it.see();
  it.server.put(aMachine({ metadata: { uid: 'another' } }));
  expect(await it.write('Running').catch(isConflict)).toBe(true);
  expect(it.stored()).not.toHaveProperty('status.phase');
  it.server.drop(MACHINES, namespace, name);
  expect(await it.write('Running').catch(isNotFound)).toBe(true);
});

test('a write whose answer was lost is tried over what is there then', async () => {
  const { see, write, asked, others } = world();
  see();
  const lost = write('Running', () => Promise.reject(new KubeError(0, 'Unreachable', 'no answer')));
  await expect(lost).rejects.toThrow('no answer');
  await others();
  await write('Running');
  expect(asked).toEqual(['get', 'apply']);
});

test('a status that follows from an earlier look is not written over one that was seen later', async () => {
  const { see, write, another, stored } = world();
  const seen = see();
  await another('Running');
  see();
  expect(await write('Provisioning', undefined, { seen }).catch(isConflict)).toBe(true);
  expect(stored()).toMatchObject({ status: { phase: 'Running' } });
});

test('it is written at once where only other things were seen to change since', async () => {
  const { see, write, others, asked, stored } = world();
  const seen = see();
  await others();
  see();
  await write('Running', undefined, { seen });
  expect(stored()).toMatchObject({ status: { phase: 'Running' } });
  expect(asked).toEqual(['apply']);
});

test('a status that is there already is no conflict', async () => {
  const { see, write, another, asked, stored } = world();
  see();
  await another('Running');
  const isDone = ({ status }: KubeObject) => (status as { phase?: string }).phase === 'Running';
  expect(await write('Running', undefined, { isDone })).toEqual(stored());
  expect(asked).toEqual(['apply', 'get']);
});
