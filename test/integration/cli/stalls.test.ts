import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SECRETS } from '../../../k8s/resources.ts';
import { behave, setAcceptedTokens, setOutage, terminateByHand } from '../lifecycle/cloud.ts';
import type { MachineWish } from '../lifecycle/manifests.ts';
import { openNamespace, SHORT_TIMES, unpause, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { startMillwright, type MillwrightProcess } from '../millwright-process.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { runCli } from './run-cli.ts';

const NAMESPACE = 'cli-stalls';
const { kube } = getStack();
let own: OwnNamespace;
let secondWorker: MillwrightProcess | undefined;

/** What became of a call that was not answered is soon known. In seconds. */
const CALL_TIMEOUT = ['--call-timeout', '10'] as const;

/** Types whose behaviours these tests set. */
const TYPES = ['sim.over-quota', 'sim.throttled', 'sim.never-joins'];

const wishFor = (providerSpec: Readonly<Record<string, unknown>>, more: MachineWish = {}): MachineWish => ({
  ...more,
  providerSpec: { credentialsSecret: { name: 'good' }, ...providerSpec },
});

/** Everything that can be staged at once. */
const STAGED: Readonly<Record<string, MachineWish>> = {
  quota: wishFor({ instanceType: 'sim.over-quota' }),
  'bad-image': wishFor({ image: 'ubuntu-24' }),
  throttling: wishFor({ instanceType: 'sim.throttled' }),
  'missing-secret': wishFor({ userDataSecret: { name: 'no-such-secret' } }),
  'no-node': wishFor({ instanceType: 'sim.never-joins' }),
  paused: wishFor({}, { annotations: { 'cluster.x-k8s.io/paused': '' } }),
  'wrong-credentials': wishFor({ credentialsSecret: { name: 'bad' } }),
  'instance-gone': wishFor({}),
};

beforeAll(async () => {
  await behave('sim.over-quota', { quota: 0 });
  await behave('sim.throttled', { throttling: { next: 1000, actions: ['launch'] } });
  await behave('sim.never-joins', { joins: false });
  await setAcceptedTokens(['good-token']);
  // A look at everything every few seconds is what finds out, here, that an instance is gone.
  own = await openNamespace(NAMESPACE, { workerArgs: ['--resync', '3', ...CALL_TIMEOUT] });
  for (const name of ['good', 'bad']) {
    await kube.create(SECRETS, NAMESPACE, { metadata: { name }, stringData: { token: `${name}-token` } });
  }
  await Promise.all(Object.entries(STAGED).map(([name, wish]) => own.createMachine(name, wish)));
  const up = await own.untilPhase('instance-gone', 'Running');
  await terminateByHand(up.status?.providerStatus?.instanceId ?? '', 'good-token');
}, 120_000);

afterAll(async () => {
  await setOutage('none');
  await setAcceptedTokens(null);
  for (const type of TYPES) await behave(type, {});
  await unpause(own, 'paused');
  await own.end();
  await secondWorker?.end();
}, 120_000);

/** The first line that `machine explain` prints, once it is the one wanted. */
async function explained(name: string, line: RegExp): Promise<string> {
  return until(
    `the line on ${name} matches ${line}`,
    async () => {
      const { code, stdout, stderr } = await runCli(['-n', NAMESPACE, 'machine', 'explain', name]);
      if (code !== 0) throw new Error(stderr);
      return stdout.split('\n')[0] ?? '';
    },
    (first) => line.test(first),
    // Eight look at once, and a look is a process.
    { timeoutMs: 30_000, everyMs: 1000 },
  );
}

test.concurrent.each([
  [
    'quota',
    /^Waiting for room in the cloud \(capacity or quota\): .*InstanceLimitExceeded: .*sim\.over-quota.* \(next try (in \S+|due)\)$/,
  ],
  [
    'bad-image',
    /^Waiting for a corrected configuration: providerSpec\.value\.image: .*ubuntu-24.*\. It goes on when the spec is changed\.$/,
  ],
  [
    'throttling',
    /^Waiting for the cloud, which throttles our calls: .*RequestLimitExceeded: .* \(next try (in \S+|due)\)$/,
  ],
  [
    'missing-secret',
    /^Waiting for a missing Secret: .*Secret cli-stalls\/no-such-secret does not exist \(next try (in \S+|due)\)$/,
  ],
  [
    'no-node',
    /^Waiting for its Node to join the cluster: instance \S+ was created; its Node simulated:\S+ has not joined yet( \(given up in \d+m\))?$/,
  ],
  [
    'paused',
    /^Waiting for the pause to be taken off: annotation cluster\.x-k8s\.io\/paused is set: nothing is done to this machine until it is removed$/,
  ],
  [
    'wrong-credentials',
    /^Waiting for credentials and permissions that the cloud accepts: .*AuthFailure: .* \(next try (in \S+|due)\)$/,
  ],
  [
    'instance-gone',
    /^Failed, for good: .*instance \S+ is gone: the cloud reports it as \S+\. No other one is launched for this Machine: delete it, and a set that controls it makes another\.$/,
  ],
])(
  'a stall by %s is explained in one line',
  async (name, line) => {
    expect(await explained(name, line)).toMatch(line);
  },
  40_000,
);

test('a stall by a cloud that is away is explained in one line', async () => {
  await setOutage('unavailable');
  await own.createMachine('cloud-away', wishFor({}));
  const line =
    /^Waiting for the cloud to do what it failed to do: .*503 ServiceUnavailable.* \(next try (in \S+|due)\)$/;
  expect(await explained('cloud-away', line)).toMatch(line);
}, 40_000);

test('a stall by a worker that is down is explained in one line, where the status says nothing', async () => {
  await own.worker.end('SIGKILL');
  await own.createMachine('worker-down', wishFor({}));
  const line =
    /^Waiting for a worker: no worker polls task queue cli-stalls, so nobody takes the step that has been due for \d+s.*\. Does `millwright worker` run\?$/;
  expect(await explained('worker-down', line)).toMatch(line);
  expect((await own.machine('worker-down'))?.status).toBeUndefined();

  await setOutage('none');
  await setAcceptedTokens(null);
  secondWorker = await startMillwright('worker', {
    args: ['--task-queue', NAMESPACE, ...SHORT_TIMES, ...CALL_TIMEOUT],
  });
  await secondWorker.ready;
  const takenOn = /^(?!Waiting for a worker)./;
  expect(await explained('worker-down', takenOn)).toMatch(takenOn);
}, 90_000);
