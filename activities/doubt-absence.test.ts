import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../providers/provider-error.ts';
import type { MachineFacts } from '../test/world/builders/a-machine.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import { given } from '../providers/given.ts';

/** Ten Machines of the same credentials, with an instance each. */
async function ten(more: (n: number) => MachineFacts = () => ({})) {
  const world = new World(ownClock());
  const all: Awaited<ReturnType<World['addLaunched']>>[] = [];
  for (let n = 0; n < 10; n += 1) all.push(await world.addLaunched({ name: `m-${n}`, ...more(n) }));
  const nth = (n: number) => all[n] ?? fail(n);
  return {
    world,
    cloud: world.cloud,
    look: (n: number) => world.run((own) => own.lookAtInstance({ ...nth(n).target, id: nth(n).id })),
    vanish: (from: number, to = from) => {
      for (let n = from; n <= to; n += 1) world.cloud.vanish(nth(n).id);
    },
  };
}

function fail(n: number): never {
  throw new Error(`there is no Machine ${n}`);
}

describe('an absent instance', () => {
  it('is a fact where half of all are absent, and is doubted where one more is', async () => {
    const { look, vanish } = await ten();
    vanish(0, 4);
    expect(await look(0)).toEqual({ outcome: 'absent' });
    vanish(5);
    const answer = await look(0);
    expect(answer).toMatchObject({ outcome: 'untrusted', message: expect.stringContaining('6 of 10 instances') });
  });

  it('is no reason for doubt with the listing by tag, in which adopted instances are absent for ever', async () => {
    const { cloud, look, vanish } = await ten();
    vanish(0);
    expect(await look(0)).toEqual({ outcome: 'absent' });
    const listings = cloud.asked('describe').filter(({ filters }) => filters?.cluster !== undefined);
    expect(listings).toEqual([]);
  });

  it('counts no Machine that is being deleted or that failed: their instances may be gone', async () => {
    const { look, vanish } = await ten((n) => ({
      deleting: n < 4,
      ...given({ status: n >= 4 && n < 7 ? { phase: 'Failed' } : undefined }),
    }));
    vanish(0, 6);
    expect(await look(0)).toEqual({ outcome: 'absent' });
    vanish(7, 8);
    expect(await look(7)).toMatchObject({ message: expect.stringContaining('2 of 3 instances') });
  });

  it('counts the Machines of the same credentials only', async () => {
    const { look, vanish } = await ten((n) => {
      const credentials = { namespace: 'default', region: n < 4 ? 'near' : 'far' };
      return { launch: { parameters: { credentials } } };
    });
    vanish(0, 1);
    expect(await look(0)).toEqual({ outcome: 'absent' });
    vanish(2);
    expect(await look(0)).toMatchObject({ message: expect.stringContaining('3 of 4 instances') });
  });

  it('does not count the Machines of a provider that the worker has not', async () => {
    const { look, vanish } = await ten((n) => ({ launch: { parameters: n < 4 ? { provider: 'another' } : {} } }));
    vanish(4, 7);
    expect(await look(4)).toMatchObject({ message: expect.stringContaining('4 of 6 instances') });
  });

  it('is a fact without another question where nothing else is there by the same credentials', async () => {
    const { cloud, look, vanish } = await ten((n) => {
      const credentials = { namespace: 'default', region: n === 0 ? 'near' : 'far' };
      return { launch: { parameters: { credentials } } };
    });
    vanish(0);
    expect(await look(0)).toEqual({ outcome: 'absent' });
    expect(cloud.asked('describe')).toHaveLength(1);
  });

  it('is a fact as soon as half of all were shown: whether the rest is there does not matter', async () => {
    const { world, cloud, look, vanish } = await ten();
    world.replaceWorker({ ...cloud.provider, describeBatchSize: 3 });
    vanish(0);
    cloud.onRequest = async ({ filters }, carryOut) => {
      if ((filters?.instanceIds?.length ?? 0) > 1 && cloud.asked('describe').length > 3) {
        throw new ProviderError('Internal', 'no answer');
      }
      return carryOut();
    };
    expect(await look(0)).toEqual({ outcome: 'absent' });
  });

  it('is a failed look where nobody can tell what else is absent', async () => {
    const { cloud, look, vanish } = await ten();
    vanish(0);
    cloud.onRequest = async ({ filters }, carryOut) => {
      if ((filters?.instanceIds?.length ?? 0) > 1) throw new ProviderError('Internal', 'no answer');
      return carryOut();
    };
    expect(await look(0)).toMatchObject({ outcome: 'failed', failure: { code: 'Internal' } });
  });
});
