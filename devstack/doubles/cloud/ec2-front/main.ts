/** The EC2 front as a process: `node devstack/doubles/cloud/ec2-front/main.ts --moto http://127.0.0.1:5000 --port 8781`. */

import { Command } from 'commander';
import { parsePort } from '../../parse-port.ts';
import { closeOnSignal } from '../wire/server.ts';
import { MotoClient } from './moto-client.ts';
import { startEc2Front } from './server.ts';

const options = new Command('ec2-front')
  .description('EC2 on 127.0.0.1 with client tokens, states that take time and faults to order; moto does the rest.')
  .requiredOption('--moto <url>', 'where moto listens')
  .option('--port <port>', 'port on 127.0.0.1; 0: a free one', parsePort, 0)
  .option('--limits', 'refuse more calls than EC2 documents', false)
  .parse()
  .opts<{ readonly moto: string; readonly port: number; readonly limits: boolean }>();

const server = await startEc2Front({ port: options.port, moto: new MotoClient(options.moto), limits: options.limits });
console.log(`EC2 front: listening on ${server.endpoint}, before moto on ${options.moto}`);
closeOnSignal(server);
