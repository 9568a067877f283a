/** The simulated cloud as a process: `node devstack/doubles/cloud/json-front/main.ts --port 8780 --state-dir DIR`. */

import { Command } from 'commander';
import { parsePort } from '../../parse-port.ts';
import { closeOnSignal } from '../wire/server.ts';
import { startSimulatedCloud } from './server.ts';

interface CommandOptions {
  readonly port: number;
  readonly stateDir: string;
  readonly region: string;
  readonly limits: boolean;
  readonly tokens: boolean;
}

const options = new Command('simulated-cloud')
  .description('A small cloud on 127.0.0.1, with client tokens as EC2 has them and faults that are set at run time.')
  .requiredOption('--state-dir <dir>', 'folder of its journal: instances, tokens, behaviours and the ledger')
  .option('--port <port>', 'port on 127.0.0.1; 0: a free one', parsePort, 0)
  .option('--region <name>', 'the one region it has', 'sim-1')
  .option('--limits', 'refuse more calls than EC2 documents', false)
  .option('--no-tokens', 'ignore client tokens: every launch makes an instance')
  .parse()
  .opts<CommandOptions>();

const server = await startSimulatedCloud(options);
console.log(`simulated cloud: listening on ${server.endpoint}, state in ${options.stateDir}`);
closeOnSignal(server);
