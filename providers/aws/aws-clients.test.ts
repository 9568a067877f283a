import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DescribeInstancesCommand } from '@aws-sdk/client-ec2';
import { systemClock } from '../clock.ts';
import { createAwsClientPool, MOST_CLIENTS, type AwsClientPool } from './aws-clients.ts';

const KEYS = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };

let server: Server;
let pool: AwsClientPool;
/** Requests that were not answered yet. */
let waiting: ServerResponse[];
let secrets: Record<string, string>;

beforeEach(async () => {
  waiting = [];
  secrets = {};
  server = createServer((request, response) => void request.resume().on('end', () => waiting.push(response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  pool = createAwsClientPool({
    endpoints: { ec2: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    readSecret: async (_namespace, name) => ({
      aws_access_key_id: Buffer.from(secrets[name] ?? name),
      aws_secret_access_key: Buffer.from('secret'),
    }),
    defaultKeys: async () => KEYS,
    connections: 4,
    connectionTimeoutMs: 1000,
    secretTtlMs: 1,
    clock: systemClock,
  });
});
afterEach(() => {
  pool.close();
  server.closeAllConnections();
  server.close();
});

describe('the clients of credentials and a region', () => {
  it('are the same ones each time, for each region others, and others when the keys change', async () => {
    const first = await pool.clientsFor({ namespace: 'ns', secretName: 's' }, 'eu-1');
    expect(await pool.clientsFor({ namespace: 'ns', secretName: 's' }, 'eu-1')).toBe(first);
    expect(await pool.clientsFor({ namespace: 'ns', secretName: 's' }, 'eu-2')).not.toBe(first);
    secrets['s'] = 'other';
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await pool.clientsFor({ namespace: 'ns', secretName: 's' }, 'eu-1')).not.toBe(first);
  });

  it('are kept for so many only, and not for those that were not asked for of late', async () => {
    const first = await pool.clientsFor({ namespace: 'ns' }, 'first');
    const second = await pool.clientsFor({ namespace: 'ns' }, 'second');
    for (let n = 0; n < MOST_CLIENTS - 2; n += 1) await pool.clientsFor({ namespace: 'ns' }, `region-${n}`);
    expect(await pool.clientsFor({ namespace: 'ns' }, 'first')).toBe(first);
    await pool.clientsFor({ namespace: 'ns' }, 'one-more');
    expect(await pool.clientsFor({ namespace: 'ns' }, 'first')).toBe(first);
    expect(await pool.clientsFor({ namespace: 'ns' }, 'second')).not.toBe(second);
  });

  it('finish their calls where others take their place meanwhile', async () => {
    const { ec2 } = await pool.clientsFor({ namespace: 'ns' }, 'first');
    const answer = ec2.send(new DescribeInstancesCommand({}));
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    for (let n = 0; n < MOST_CLIENTS; n += 1) await pool.clientsFor({ namespace: 'ns' }, `region-${n}`);
    waiting[0]?.writeHead(200, { 'content-type': 'text/xml' });
    waiting[0]?.end('<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>');
    await expect(answer).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });
});
