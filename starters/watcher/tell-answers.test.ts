import { beforeEach, describe, expect, it } from '@jest/globals';
import { MACHINES } from '../../k8s/dialects/openshift/resources.ts';
import { KubeError } from '../../k8s/kube-error.ts';
import { NODES } from '../../k8s/resources.ts';
import { ownClock } from '../../test/world/world-clock.ts';
import { World } from '../../test/world/world.ts';
import type { ObjectWatch } from './object-source.ts';
import { tellingReads, tellingWatch } from './tell-answers.ts';

let told: string[];
let answer: () => void;
const clock = ownClock();
const outages = {
  answered: () => void told.push('answered'),
  failed: () => void told.push('failed'),
};
let world: World;
beforeEach(() => {
  told = [];
  answer = () => {};
  world = new World(clock);
  world.onRequest = async (_request, carryOut) => {
    answer();
    return carryOut();
  };
});

const kubeError =
  (status: number, reason = 'Told') =>
  () => {
    throw new KubeError(status, reason, 'as the test says');
  };

describe('a read', () => {
  it.each([
    ['is answered', () => {}, ['answered']],
    ['is refused', kubeError(403), ['answered']],
    ['is refused for now', kubeError(500), ['answered']],
    ['gets no answer', kubeError(0, 'Unreachable'), ['failed']],
    ['is answered by a gateway', kubeError(503), ['failed']],
    ['was not sent', kubeError(0, 'NotSent'), []],
  ] as const)('that %s tells so', async (_words, comes, tells) => {
    const kube = tellingReads(world.kube.client, outages, clock);
    answer = comes;
    await kube.list(NODES).catch(() => {});
    expect(told).toEqual(tells);
  });

  it('of what is not there is answered', async () => {
    const kube = tellingReads(world.kube.client, outages, clock);
    await expect(kube.get(MACHINES, 'default', 'none')).rejects.toThrow(KubeError);
    expect(told).toEqual(['answered']);
  });
});

describe('a read of one object', () => {
  it.each([
    ['soon', 1900, ['answered']],
    ['late', 2200, ['failed', 'answered']],
  ] as const)('that is answered %s tells so', async (_words, ms, tells) => {
    world.onRequest = async (_request, carryOut) => {
      await clock.goAhead(ms);
      return carryOut();
    };
    await tellingReads(world.kube.client, outages, clock)
      .get(MACHINES, 'default', 'none')
      .catch(() => {});
    expect(told).toEqual(tells);
  });

  it('tells more than one of many, which may take long', async () => {
    world.onRequest = async (_request, carryOut) => {
      await clock.goAhead(5000);
      return carryOut();
    };
    await tellingReads(world.kube.client, outages, clock).list(NODES);
    expect(told).toEqual(['answered']);
  });
});

describe('a watch', () => {
  type Handlers = { readonly event: () => void; readonly end: (error: unknown) => void };

  /** @param refused why it does not open */
  async function open(refused?: unknown): Promise<Handlers> {
    let handlers: Handlers | undefined;
    const bare: ObjectWatch = {
      async watch(_path, _query, onEvent, done) {
        handlers = { event: () => onEvent('ADDED', {}, {}), end: done };
        if (refused !== undefined) done(refused);
        return new AbortController();
      },
    };
    await tellingWatch(bare, outages, clock).watch(
      '/nodes',
      {},
      () => {},
      () => {},
    );
    if (handlers === undefined) throw new Error('it was not opened');
    return handlers;
  }
  const named = (name: string): Error => Object.assign(new Error('as the test says'), { name });

  it('tells that it opened, and of each event', async () => {
    const { event } = await open();
    event();
    expect(told).toEqual(['answered', 'answered']);
  });

  it.each([
    ['is ended by the server', null, []],
    ['was quiet for a while', named('TimeoutError'), []],
    ['nobody wants any more', named('AbortError'), []],
    ['is too old', { statusCode: 410 }, ['answered']],
    ['is cut', new Error('other side closed'), ['failed']],
  ])('that %s tells so', async (_words, error, tells) => {
    const { end } = await open();
    end(error);
    expect(told).toEqual(['answered', ...tells]);
  });

  it.each([
    ['does not open in time', named('TimeoutError'), ['failed']],
    ['cannot be opened', new Error('connection refused'), ['failed']],
    ['is answered by a gateway', { statusCode: 502 }, ['failed']],
    ['is refused', { statusCode: 403 }, ['answered']],
  ])('that %s tells so', async (_words, error, tells) => {
    await open(error);
    expect(told).toEqual(tells);
  });
});
