import { join } from 'node:path';
import { repositoryFolder } from '../../repository-folder.ts';
import { SIMULATED_LIMITS } from '../../doubles/cloud/json-front/simulated-limits.ts';
import type { PortName } from '../ports.ts';
import { answersOk } from '../readiness.ts';
import type { ProcessSpec } from '../supervised-process.ts';
import { given } from '../../../providers/given.ts';
import { awsEnvironment } from './aws-environment.ts';
import type { StackContext } from './stack-context.ts';
import { TEMPORAL_NAMESPACE } from './temporal.ts';

/** Path of the `millwright` program. */
export const millwrightProgram = join(repositoryFolder, 'bin', 'millwright.js');

/** `millwright worker`: runs the workflows and activities. */
export function worker(context: StackContext): ProcessSpec {
  const { files, options } = context;
  return millwright('worker', 'worker-health', files.workerKubeconfig, options.workerArgs, options.workerEnv, context);
}

/** `millwright watcher`: turns changes of objects into signals. */
export function watcher(context: StackContext): ProcessSpec {
  const { files, options } = context;
  return millwright(
    'watcher',
    'watcher-health',
    files.watcherKubeconfig,
    options.watcherArgs,
    options.watcherEnv,
    context,
  );
}

/** What any `millwright` command needs to know of the stack. */
export function millwrightEnvironment({ options, ports }: StackContext, kubeconfig: string): Record<string, string> {
  const cloud = `http://127.0.0.1:${ports.cloud}`;
  return {
    KUBECONFIG: kubeconfig,
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    TEMPORAL_NAMESPACE,
    // The user's profiles are of other Temporals.
    TEMPORAL_CONFIG_FILE: '/dev/null',
    MILLWRIGHT_UI_URL: `http://127.0.0.1:${ports['temporal-ui']}`,
    ...(options.provider === 'aws'
      ? awsEnvironment(cloud, { limits: options.withCloudLimits })
      : simulatedEnvironment(cloud, options.withCloudLimits)),
  };
}

/** The simulated provider has no documented limits: a worker has to be told of those that the cloud has. */
function simulatedEnvironment(cloud: string, limits: boolean): Record<string, string> {
  const rates = Object.entries(SIMULATED_LIMITS).map(
    ([action, { burst, perSecond }]) => `simulated:${action}=${burst}+${perSecond}`,
  );
  return {
    MILLWRIGHT_SIMULATED_ENDPOINT: cloud,
    ...given({ MILLWRIGHT_CLOUD_RATES: limits ? rates.join(',') : undefined }),
  };
}

/** With the environment of the image, where that matters (deploy/Dockerfile). */
function millwright(
  name: 'worker' | 'watcher',
  portName: PortName,
  kubeconfig: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  context: StackContext,
): ProcessSpec {
  const port = context.ports[portName];
  return {
    name,
    command: process.execPath,
    args: [millwrightProgram, name, `--health-port=${port}`, ...args],
    env: { MALLOC_ARENA_MAX: '2', ...millwrightEnvironment(context, kubeconfig), ...env },
    isReady: () => answersOk({ url: `http://127.0.0.1:${port}/readyz` }),
    readyTimeoutMs: 300_000,
    stopGraceMs: 15_000,
  };
}
