import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startCloudProcess } from './json-front/cloud-process.ts';
import type { CloudProcess } from './json-front/cloud-process.ts';
import { CloudTestClient, INSTANT } from './json-front/cloud-test-client.ts';
import { SimulatedCloud } from './json-front/simulated-cloud.ts';

let stateDir: string;
let process: CloudProcess | undefined;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'simulated-cloud-'));
});
afterEach(async () => {
  await process?.kill();
  process = undefined;
  rmSync(stateDir, { recursive: true });
});

const start = async (port = 0) => {
  process = await startCloudProcess({ stateDir, port });
  return new CloudTestClient(process.endpoint);
};

/** Kills the cloud and starts it again on the same port. */
const restart = async () => {
  const port = process?.port;
  await process?.kill();
  return start(port);
};

describe('a cloud that is killed and started again', () => {
  it('knows its instances, tokens, behaviours, outage and the whole ledger', async () => {
    let client = await start();
    await client.behave('*', { ...INSTANT, failures: [{ action: 'launch', times: 2 }] });
    expect((await client.launch()).status).toBe(500);
    client = await restart();
    expect((await client.launch({ image: 'image-2' })).body.error?.code).toBe('IdempotentParameterMismatch');
    const id = await client.launchId();
    const stopped = await client.launchId({ clientToken: 't-2' });
    await client.operate(stopped, 'stop');
    const before = await client.ledger();
    client = await restart();
    expect(await client.ledger()).toEqual(before);
    expect(await client.launchId()).toBe(id);
    expect(await client.state(stopped)).toBe('stopped');
    await client.send('PUT', '/outage', { mode: 'unavailable' });
    client = await restart();
    expect((await client.launch()).status).toBe(503);
  }, 30_000);

  it('has lost nothing that it answered, at whatever moment it was killed', async () => {
    let client = await start();
    await client.behave('*', { ...INSTANT, launchLatencyMs: 5 });
    const answered: string[] = [];
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let n = 0; ; n += 1) {
        const id = await client.launchId({ clientToken: `t-${caller}-${n}` });
        answered.push(id);
      }
    });
    const ended = Promise.allSettled(callers);
    do await new Promise((resolve) => setTimeout(resolve, 300));
    while (answered.length <= 10);
    client = await restart();
    await ended;
    const { instances, calls } = await client.ledger();
    expect(answered.length).toBeGreaterThan(10);
    expect(instances.map(({ id }) => id)).toEqual(expect.arrayContaining(answered));
    expect(calls.map(({ instance }) => instance)).toEqual(expect.arrayContaining(answered));
    expect(new Set(instances.map(({ token }) => token)).size).toBe(instances.length);
  }, 30_000);

  it('drops a last line that was cut short, and goes on after it', async () => {
    let client = await start();
    const id = await client.launchId();
    await process?.kill();
    appendFileSync(join(stateDir, 'journal.jsonl'), '{"record":"inst');
    client = await start();
    expect(await client.launchId()).toBe(id);
    client = await restart();
    expect(await client.ids()).toEqual([id]);
  }, 30_000);

  it('will not start from a journal that is damaged, and says where', () => {
    writeFileSync(join(stateDir, 'journal.jsonl'), '{"record":"token"}\n{}\n');
    expect(() => new SimulatedCloud({ stateDir })).toThrow(/journal\.jsonl:1 is no record/);
    writeFileSync(join(stateDir, 'journal.jsonl'), 'x\n');
    expect(() => new SimulatedCloud({ stateDir })).toThrow(/journal\.jsonl:1 is not JSON/);
  });
});

it('never writes user data down', async () => {
  const client = await start();
  const userData = Buffer.from('a secret for the machine').toString('base64');
  await client.launchId({ userData });
  expect(readFileSync(join(stateDir, 'journal.jsonl'), 'utf8')).not.toContain(userData);
  expect(JSON.stringify(await client.describe())).not.toContain(userData);
}, 30_000);

/** Processor time of this process, in milliseconds: what others do on the computer is not in it. */
function processorMs(): number {
  const { user, system } = globalThis.process.cpuUsage();
  return (user + system) / 1000;
}

/** What it takes to launch so many instances, look at each, and know them all again. */
async function costOf(count: number): Promise<number> {
  const own = { stateDir: join(stateDir, `${count}`) };
  mkdirSync(own.stateDir);
  const begin = processorMs();
  const cloud = new SimulatedCloud(own);
  cloud.engine.setBehaviour('*', INSTANT);
  for (let n = 0; n < count; n += 1) {
    await cloud.launch({
      clientToken: `t-${n}`,
      zone: 'zone-a',
      instanceType: 'sim.small',
      image: 'image-1',
      tags: { machineUid: `u-${n}` },
    });
    await cloud.describe({ filters: { machineUid: `u-${n}` } });
    if (n % 10 === 9) cloud.engine.flush();
  }
  expect(cloud.engine.ledger().instances).toHaveLength(count);
  cloud.engine.close();
  const again = new SimulatedCloud(own);
  expect(again.engine.ledger().instances).toHaveLength(count);
  again.engine.close();
  return processorMs() - begin;
}

it('stays quick among thousands of instances', async () => {
  // Some 500 ms here; the bound only catches what grows with the square.
  expect(await costOf(5000)).toBeLessThan(10_000);
}, 30_000);
