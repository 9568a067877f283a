/** The EC2 front as a process: `node devstack/ec2-front/main.ts --moto http://127.0.0.1:5000 --port 8781`. */

import { Command, InvalidArgumentError } from 'commander';
import { startEc2Front } from './server.ts';

function parsePort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('0 to 65535, please.');
  return port;
}

const options = new Command('ec2-front')
  .description('EC2 on 127.0.0.1 with client tokens, states that take time and faults to order; moto does the rest.')
  .requiredOption('--moto <url>', 'where moto listens')
  .option('--port <port>', 'port on 127.0.0.1; 0: a free one', parsePort, 0)
  .parse()
  .opts<{ readonly moto: string; readonly port: number }>();

const server = await startEc2Front({ port: options.port, motoUrl: options.moto });
console.log(`EC2 front: listening on ${server.endpoint}, before moto on ${options.moto}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void server.close();
  });
}
