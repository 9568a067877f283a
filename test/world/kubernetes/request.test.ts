import { expect, test } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { aMachine } from '../builders/a-machine.ts';
import { ApiServer } from './api-server.ts';
import { answerLost, before } from './request.ts';

const NS = 'default';

function world() {
  const server = new ApiServer();
  server.put(aMachine());
  return { server, label: (a: string) => server.client.mergePatch(MACHINES, NS, 'm', { metadata: { labels: { a } } }) };
}

const labelOf = (server: ApiServer) => server.peek(MACHINES, NS, 'm')?.metadata.labels?.['a'];

test('a request that fails before does nothing', async () => {
  const { server, label } = world();
  server.onRequest = before({ verb: 'mergePatch' }, () => {
    throw new Error('not now');
  });
  await expect(label('b')).rejects.toThrow('not now');
  expect(labelOf(server)).toBeUndefined();
});

test('a request whose answer is lost has taken effect', async () => {
  const { server, label } = world();
  server.onRequest = answerLost({ verb: 'mergePatch', name: 'm' });
  await expect(label('b')).rejects.toMatchObject({ status: 0, reason: 'Unreachable' });
  expect(labelOf(server)).toBe('b');
});

test('the world may change right before one request of many', async () => {
  const { server, label } = world();
  server.onRequest = before({ verb: 'mergePatch', nth: 2 }, () => server.drop(MACHINES, NS, 'm'));
  await label('b');
  await expect(label('c')).rejects.toMatchObject({ reason: 'NotFound' });
});

test('a request may wait for as long as it takes, and those of others do not', async () => {
  const { server, label } = world();
  let goOn = () => {};
  const held = new Promise<void>((resolve) => (goOn = resolve));
  server.onRequest = before({}, () => held);
  const waiting = label('ours');
  await server.others.mergePatch(MACHINES, NS, 'm', { metadata: { labels: { a: 'theirs' } } });
  expect(labelOf(server)).toBe('theirs');
  goOn();
  await waiting;
  expect(labelOf(server)).toBe('ours');
});
