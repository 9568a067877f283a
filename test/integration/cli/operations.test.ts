import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { NAMESPACES, NODES } from '../../../k8s/resources.ts';
import { machineManifest } from '../lifecycle/manifests.ts';
import { openNamespace, readNode, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { Workloads } from '../lifecycle/workloads.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { runCli, startCli, type CliAnswer, type RunningCli } from './run-cli.ts';

// Each waits for a machine.
jest.setTimeout(240_000);

const NAMESPACE = 'cli-operations';
const { kube } = getStack();
const workloads = new Workloads(NAMESPACE);
let own: OwnNamespace;

const cli = (...args: readonly string[]): Promise<CliAnswer> => runCli(['-n', NAMESPACE, 'machine', ...args]);
const start = (...args: readonly string[]): RunningCli => startCli('-n', NAMESPACE, 'machine', ...args);
const untilTold = (running: RunningCli, words: RegExp) =>
  until(
    `it says ${words}`,
    async () => running.stdout(),
    (text) => words.test(text),
  );

/** Name of the Node of a Machine that is Running. */
async function nodeOf(name: string): Promise<string> {
  return (await own.untilPhase(name, 'Running')).status?.nodeRef?.name ?? '';
}

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
  const lifecycleHooks = { preTerminate: [{ name: 'CopyLogs', owner: 'log-copier' }] };
  await own.createMachine('web');
  await own.createMachine('hooked', { spec: { lifecycleHooks } });
  await workloads.runPod(await own.untilPhase('web', 'Running'), 'web');
  await workloads.limit('web', 'web', 1);
}, 120_000);

afterAll(async () => {
  await own.patchMachine('hooked', { spec: { lifecycleHooks: null } }).catch(() => {});
  await own.end();
}, 120_000);

describe('a maintenance', () => {
  test('is waited for with what holds it up, until the Node is empty', async () => {
    const node = await nodeOf('web');
    // Whoever cordons a Node that is cordoned changes nothing.
    await kube.mergePatch(
      NODES,
      undefined,
      node,
      { spec: { unschedulable: true } },
      { fieldManager: 'kubectl-cordon' },
    );
    const running = start('drain', 'web', '--wait');
    const budget = /pod cli-operations\/web-1: PodDisruptionBudget web allows 0 disruptions now/;
    await untilTold(running, budget);
    expect(running.stdout()).toMatch(
      new RegExp(`^Machine ${NAMESPACE}/web goes into maintenance; Node ${node} is cordoned and drained`),
    );
    await workloads.relax('web');
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
    expect(running.stdout()).toMatch(
      /^Machine cli-operations\/web is in maintenance: nothing that has to leave is on /m,
    );
    expect(await workloads.pod('web-1')).toBeUndefined();
    expect((await cli('list')).stdout).toMatch(/^web +Running .* the end of its maintenance$/m);
    expect((await cli('explain', 'web')).stdout).toMatch(/^Waiting for the end of its maintenance: Node /);
  });

  test('ends, and it is said who else keeps the Node cordoned', async () => {
    const node = await nodeOf('web');
    const { code, stdout } = await cli('uncordon', 'web', '--wait');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Machine cli-operations\/web is out of maintenance$/m);
    expect(stdout).toContain(`Node ${node} stays unschedulable, as kubectl-cordon cordoned it as well`);
    expect((await readNode(node))?.spec?.unschedulable).toBe(true);

    await kube.mergePatch(NODES, undefined, node, { spec: { unschedulable: null } });
    const again = await cli('maintenance', 'off', 'web');
    expect(again).toMatchObject({
      code: 0,
      stdout: `Machine ${NAMESPACE}/web is not in maintenance; nothing was changed\n`,
    });
  });
});

describe('a deletion', () => {
  test('goes on after Ctrl-C; its hook is shown to hold it; it is aborted', async () => {
    const node = await nodeOf('hooked');
    const running = start('delete', 'hooked', '--wait');
    await untilTold(running, /Waiting for .*preTerminate hook CopyLogs of log-copier/);
    running.interrupt();
    expect(await running.ended).toMatchObject({
      code: 130,
      stderr: `millwright: not gone yet: Machine ${NAMESPACE}/hooked; the deletion goes on without being waited for\n`,
    });
    expect((await cli('hooks', 'hooked')).stdout).toMatch(/^preTerminate +CopyLogs +log-copier +yes +\d+s$/m);
    expect((await readNode(node))?.spec?.unschedulable).toBe(true);

    const aborted = await cli('delete', 'hooked', '--abort', '--wait');
    expect(aborted).toMatchObject({ code: 0, stderr: '' });
    expect(aborted.stdout).toMatch(/^Machine cli-operations\/hooked is not being deleted any more; /m);
    expect((await readNode(node))?.spec?.unschedulable).toBeUndefined();
    expect((await own.machine('hooked'))?.status?.phase).toBe('Running');
    expect((await cli('hooks', 'hooked')).stdout).toMatch(/^preTerminate +CopyLogs +log-copier +no$/m);
    expect((await cli('delete', 'hooked', '--abort')).stdout).toBe(
      `Machine ${NAMESPACE}/hooked: there is no deletion to abort; nothing was changed\n`,
    );
  });

  test('has a policy that is only lowered while it is under way, in the words of the API server', async () => {
    expect(await cli('delete', 'hooked', '--policy', 'unsafe')).toMatchObject({ code: 0 });
    const refused = await cli('delete', 'hooked', '--policy', 'graceful');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^millwright: could not delete Machine cli-operations\/hooked: .*spec\.deletionPolicy cannot be changed from unsafe to graceful .*\n$/,
    );
  });

  test('is not aborted after the object was deleted, and is waited for until it is gone', async () => {
    await own.deleteMachine('hooked');
    const late = await cli('delete', 'hooked', '--abort');
    expect(late).toMatchObject({ code: 1, stdout: '' });
    expect(late.stderr).toMatch(
      /^millwright: could not abort the deletion of Machine cli-operations\/hooked: it is too late, it was deleted at 20\S+Z, which nothing takes back\n$/,
    );
    const running = start('delete', 'hooked', 'web', '--wait');
    await untilTold(
      running,
      /^Machine cli-operations\/hooked is being deleted already: [^]*^Machine \S+\/hooked: Waiting/m,
    );
    await own.patchMachine('hooked', { spec: { lifecycleHooks: null } });
    const gone = await running.ended;
    expect(gone).toMatchObject({ code: 0, stderr: '' });
    expect(gone.stdout).toMatch(/^Machine cli-operations\/web is gone$/m);
    expect(gone.stdout).toMatch(/^Machine cli-operations\/hooked is gone$/m);
  });
});

test('where nobody works on a Machine, whoever waits for it is told so', async () => {
  const name = 'cli-operations-unwatched';
  await kube.create(NAMESPACES, undefined, { metadata: { name } });
  await kube.create(MACHINES, name, machineManifest(name, 'idle'));
  const unwatched = (...args: readonly string[]) => runCli(['-n', name, 'machine', ...args]);
  // Where Temporal takes its time to answer, it is asked again.
  const running = startCli('-n', name, 'machine', 'delete', 'idle', '--wait');
  await untilTold(running, /^Machine \S+\/idle: Waiting for the watcher: no workflow was started for it/m);
  running.interrupt();
  expect((await running.ended).code).toBe(130);
  // Without access to Temporal it goes by the object.
  const alone = await unwatched('delete', 'idle', '--abort', '--wait', '--timeout', '1', '--profile', 'none');
  expect(alone.code).toBe(4);
  expect(alone.stderr).toMatch(/^millwright: its deletion is not aborted after 1 s: Machine \S+\/idle; /);
  await kube.delete(MACHINES, name, 'idle');
});
