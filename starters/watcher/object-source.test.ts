import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { KubeClient } from '../../k8s/client.ts';
import { NODES } from '../../k8s/resources.ts';
import { systemClock } from '../../providers/clock.ts';
import { ApiServer } from '../../test/world/kubernetes/api-server.ts';
import { ObjectSource } from './object-source.ts';

/** Watches that were asked for; each is open once the test says so. */
let asked: PromiseWithResolvers<AbortController>[];
let kube: KubeClient;
beforeEach(() => {
  asked = [];
  kube = new ApiServer().client;
});

function startSource(): ObjectSource {
  const source = new ObjectSource({
    watch: {
      watch: () => {
        const opening = Promise.withResolvers<AbortController>();
        asked.push(opening);
        return opening.promise;
      },
    },
    kube,
    resource: NODES,
    retryMostMs: 1000,
    onObject: () => {},
    onGone: () => {},
    onListed: () => {},
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  source.start();
  return source;
}

/** What is under way goes on as far as it can. */
const goOn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a source that is told to stop keeps no process from its end', () => {
  it('also not by a watch that is being opened', async () => {
    const source = startSource();
    while (asked.length === 0) await goOn();
    await source.stop();
    const opened = new AbortController();
    asked[0]?.resolve(opened);
    await goOn();
    expect(opened.signal.aborted).toBe(true);
  });

  it('also not by a watch that would follow a list', async () => {
    const list = Promise.withResolvers<void>();
    const { client } = new ApiServer();
    kube = {
      ...client,
      list: async (...args) => {
        await list.promise;
        return client.list(...args);
      },
    };
    const source = startSource();
    await source.stop();
    list.resolve();
    for (let round = 0; round < 10; round += 1) await goOn();
    expect(asked).toEqual([]);
  });
});
