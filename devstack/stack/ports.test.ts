import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:net';
import { freePort, startOnFreePorts } from './ports.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const listen = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      servers.push(server);
      resolve(server);
    });
  });

it('a port is handed out once: who has it may not listen yet', async () => {
  const ports: number[] = [];
  for (let n = 0; n < 400; n += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(400);
});

describe('a start on ports that were free', () => {
  it('is tried with others where another program has taken one since', async () => {
    const port = await freePort();
    await listen(port);
    const ports = [port, await freePort()];
    const started = await startOnFreePorts(() => listen(ports.shift() ?? 0));
    expect(started.address()).not.toMatchObject({ port });
    expect(ports).toEqual([]);
  });

  it.each([
    ['what is wrong is another thing', 'no such file', 1],
    ['they are taken again and again', 'etcd ended: listen tcp 127.0.0.1:1: bind: address already in use', 3],
  ])('fails where %s', async (_where, message, most) => {
    let starts = 0;
    const start = () => {
      starts += 1;
      return Promise.reject(new Error(message));
    };
    await expect(startOnFreePorts(start)).rejects.toThrow(message);
    expect(starts).toBe(most);
  });
});
