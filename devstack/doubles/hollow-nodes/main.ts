/** Registers a Node for each running instance of a cloud, as the instances' kubelets would. */

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeConfig } from '../../../k8s/kubernetes-client.ts';
import { Command, InvalidArgumentError } from 'commander';
import { createKubeClient } from '../../../k8s/http-client.ts';
import { listInstances } from './cloud-instances.ts';
import { Kubelets } from './kubelets.ts';
import { messageOf } from '../../../providers/message-of.ts';

interface CommandOptions {
  readonly cloud: string;
  readonly provider: string;
  readonly kubeconfig: string;
  readonly joinDelayMs: number;
  readonly pollMs: number;
  readonly healthPort?: number;
}

function parseCount(value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 0) throw new InvalidArgumentError('A whole number, please.');
  return count;
}

const options = new Command('hollow-nodes')
  .description('Registers a Node for each running instance of a cloud; KWOK plays the rest of its kubelet.')
  .requiredOption('--cloud <url>', 'endpoint of the simulated cloud or of the EC2 front')
  .requiredOption('--provider <name>', 'scheme of its providerIDs; the Nodes of other clouds are left alone')
  .requiredOption('--kubeconfig <path>', 'whose user may get, list, create and patch Nodes')
  .option('--join-delay-ms <ms>', 'from "the instance runs" to "its Node is registered"', parseCount, 1000)
  .option('--poll-ms <ms>', 'between two looks at the cloud', parseCount, 200)
  .option('--health-port <port>', 'port on 127.0.0.1 that serves /readyz', parseCount)
  .parse()
  .opts<CommandOptions>();

const config = new KubeConfig();
config.loadFromFile(options.kubeconfig);
const kubelets = new Kubelets({
  client: createKubeClient(config),
  cloud: options.provider,
  listInstances: () => listInstances(options.cloud),
  joinDelayMs: options.joinDelayMs,
  say: (line) => console.log(line),
});

let ready = false;
if (options.healthPort !== undefined) {
  createServer((_request, response) => response.writeHead(ready ? 200 : 503).end()).listen(
    options.healthPort,
    '127.0.0.1',
  );
}

let failure = '';
for (;;) {
  try {
    await kubelets.tick();
    if (failure !== '') console.log('cloud and cluster answer again');
    failure = '';
    ready = true;
  } catch (error) {
    // Said once, not twice a second: either side may be away for long.
    const message = messageOf(error);
    if (message !== failure) console.error(`${message}; looking again in ${options.pollMs} ms`);
    failure = message;
  }
  await sleep(options.pollMs);
}
