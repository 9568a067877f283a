import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { MachineStatus } from '../k8s/model/machine.ts';
import { given } from '../providers/given.ts';
import { aMachine, readMachine } from '../test/world/builders/a-machine.ts';
import { aLaunch } from '../test/world/builders/a-launch.ts';
import { ownClock } from '../test/world/world-clock.ts';
import { World } from '../test/world/world.ts';
import type { Instance } from '../providers/provider.ts';
import { requireAccount } from './account.ts';

const { ref } = readMachine(aMachine());
const HOME = 'home';
const SEEN: Instance = { id: 'i-1', providerID: 'simulated:///z/i-1', state: 'running', addresses: [] };

interface Facts {
  readonly status?: Pick<MachineStatus, 'account' | 'launch'>;
  /** The account that the cloud tells of the credentials. */
  readonly now?: string;
  /** The account that the instance, which was found, tells. */
  readonly seen?: string;
  readonly secretName?: string;
}

/** What the log says of a look; rejects where the look counts for nothing. */
async function look({ status = { account: HOME }, now, seen, secretName }: Facts) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const { provider } = new World(ownClock()).cloud;
  const place = {
    provider: { ...provider, accountOf: async () => now },
    credentials: { namespace: 'ns', region: 'r', ...given({ secretName }) },
  };
  await requireAccount({ log }, place, { ref, status }, seen === undefined ? undefined : { ...SEEN, account: seen });
  return lines;
}

describe('a look', () => {
  it.each<[string, Facts]>([
    ['in the account on record', { now: HOME }],
    ['in the account of the launch', { status: { launch: aLaunch(ref, { account: HOME }) }, now: HOME }],
    [
      'that found the instance in the account on record, wherever the credentials lead to',
      { seen: HOME, now: 'other' },
    ],
    ['of a Machine that has no account on record', { status: {}, now: 'other' }],
    ['where neither record nor cloud tells an account', { status: {} }],
  ])('%s counts, and nothing is said of it', async (_what, facts) => {
    expect(await look(facts)).toEqual([]);
  });

  it('counts where nobody tells the account, and the log says so', async () => {
    expect(await look({})).toMatchObject([
      { object: ref, account: HOME, msg: expect.stringContaining('nobody tells') },
    ]);
  });

  it.each<[string, Facts]>([
    ["the worker's own credentials", { now: 'other' }],
    ['the credentials of Secret ns/cloud', { now: 'other', secretName: 'cloud' }],
    ["the worker's own credentials", { status: { launch: aLaunch(ref, { account: HOME }) }, now: 'other' }],
    ["the worker's own credentials", { seen: 'other', now: HOME }],
  ])('in another account counts for nothing: %s', async (whose, facts) => {
    await expect(look(facts)).rejects.toMatchObject({
      code: 'FailedPrecondition',
      details: { cloudCode: 'AccountChanged' },
      message: expect.stringContaining(`${whose} lead to account other`),
    });
  });
});
