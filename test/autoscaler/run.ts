/**
 * Runs a cluster-autoscaler that somebody has against an embedded stack of its own, and says what it saw: up from zero, up a deployment,
 * down by the right machine in a set and in a deployment, and a group without capacity left for another.
 *
 *   npm run autoscaler -- --binary PATH
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Command, InvalidArgumentError } from 'commander';
import { request } from 'undici';
import { startBriefStack } from '../brief-stack.ts';
import { createKubeClient } from '../../k8s/http-client.ts';
import { loadKubeConfig } from '../../k8s/kube-config.ts';
import { NAMESPACES } from '../../k8s/resources.ts';
import { CaseWorld } from './case-world.ts';
import { playCases, type Played } from './play.ts';
import { makeAutoscalerUser } from './user.ts';

const NAMESPACE = 'autoscaled';

const { binary, patience, capacityFailureAfter } = new Command()
  .description('play what cluster-autoscaler does with MachineSets and MachineDeployments, with a real one')
  .requiredOption('--binary <path>', 'path of cluster-autoscaler')
  .option('--patience <seconds>', 'longest wait for each thing that it is to do', seconds, 300)
  .option('--capacity-failure-after <seconds>', 'as of `millwright worker`', seconds, 20)
  .parse()
  .opts<{ binary: string; patience: number; capacityFailureAfter: number }>();

const stateDir = await mkdtemp(join(tmpdir(), 'millwright-autoscaler-'));
const stack = await startBriefStack({
  stateDir,
  fresh: true,
  workerArgs: ['--capacity-failure-after', String(capacityFailureAfter)],
});
let isRight = false;
try {
  const kube = createKubeClient(loadKubeConfig({ kubeconfig: stack.kubeconfig }));
  await kube.create(NAMESPACES, undefined, { metadata: { name: NAMESPACE } });
  const kubeconfig = join(stateDir, 'autoscaler.kubeconfig');
  await makeAutoscalerUser(stack.kubeconfig, kubeconfig);
  const behave: CaseWorld['behave'] = async (instanceType, behaviour) => {
    const headers = { 'content-type': 'application/json' };
    const url = `${stack.cloud.endpoint}/behaviours/${instanceType}`;
    const { statusCode } = await request(url, { method: 'PUT', headers, body: JSON.stringify(behaviour) });
    if (statusCode >= 300) throw new Error(`PUT ${url}: HTTP ${statusCode}`);
  };
  const log = join(stateDir, 'logs', 'cluster-autoscaler.log');
  console.log(`cluster-autoscaler writes to ${log}`);
  const world = new CaseWorld({ kube, namespace: NAMESPACE, behave });
  const results = await playCases(world, { binary, kubeconfig, log, patienceMs: patience * 1000, onPlayed: print });
  isRight = results.every(({ failure }) => failure === undefined);
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  console.log(`${results.length - failed} passed, ${failed} failed`);
} finally {
  await stack.stop();
  // What went wrong is in the logs.
  if (isRight) await rm(stateDir, { recursive: true, force: true });
  else console.log(`the logs are in ${join(stateDir, 'logs')}`);
}
process.exit(isRight ? 0 : 1);

function print({ title, failure, seen, seconds: took }: Played): void {
  console.log(`${failure === undefined ? 'ok  ' : 'FAIL'} ${title} (${took} s)`);
  for (const line of failure === undefined ? seen : [failure]) console.log(`     ${line}`);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('a number of seconds, more than 0');
  return value;
}
