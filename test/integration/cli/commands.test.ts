import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFaultProxy } from '../../../devstack/doubles/fault-proxy/fault-proxy.ts';
import { createKubernetesClassifier } from '../../../devstack/doubles/fault-proxy/kubernetes-classifier.ts';
import { MACHINE_CLASSES } from '../../../k8s/dialects/openshift/resources.ts';
import { openNamespace, pause, unpause, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { writeProxiedKubeconfig } from '../proxied-kubeconfig.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { cliCommand, cliEnvironment, runCli, startCli, type CliAnswer } from './run-cli.ts';

// Each test starts processes, some of them several.
jest.setTimeout(60_000);

const NAMESPACE = 'cli-commands';
const NAMES = 'jsonpath={.items[*].metadata.name}';
const { kube, temporal } = getStack();
let own: OwnNamespace;
let workers: string[];

const cli = (...args: readonly string[]): Promise<CliAnswer> => runCli(['-n', NAMESPACE, ...args]);

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
  await kube.create(MACHINE_CLASSES, NAMESPACE, {
    apiVersion: MACHINE_CLASSES.apiVersion,
    kind: MACHINE_CLASSES.kind,
    metadata: { name: 'small' },
    provider: 'simulated',
    providerSpec: { instanceType: 'sim.small' },
  });
  await own.createMachine('of-class', {
    spec: { providerSpec: { valueFrom: { machineClass: { name: 'small' } } } },
    labels: { role: 'single' },
  });
  await own.createMachine('halted', { annotations: { 'cluster.x-k8s.io/paused': '' }, labels: { role: 'single' } });
  await own.createMachineSet('workers', { replicas: 2 });
  await own.untilMachineSet('workers', ({ status }) => status?.readyReplicas === 2, 'ready');
  await own.untilPhase('of-class', 'Running');
  await own.untilMachine('halted', (m) => m.status?.waiting?.reason === 'Paused', 'paused');
  workers = (await own.machines()).map(({ metadata }) => metadata.name).filter((name) => name.startsWith('workers-'));
}, 120_000);

afterAll(async () => {
  await own.end();
}, 120_000);

describe('what is listed', () => {
  test('a label selector chooses machines, and jsonpath prints what it names', async () => {
    expect((await cli('machine', 'list', '-l', 'role=single', '-o', NAMES)).stdout).toBe('halted of-class');
    const set = await cli('machines', 'ls', '--selector', 'set=workers', '-o', NAMES);
    expect(set.stdout.split(' ')).toEqual(workers);
    const none = await cli('machine', 'list', '-l', 'role=none');
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: `No machines found in namespace ${NAMESPACE}.\n` });
  });

  test('the same machines come as JSON and as YAML', async () => {
    const { stdout } = await cli('machine', 'list', '-o', 'json', '-l', 'role=single');
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'List', items: [{ kind: 'Machine' }, { kind: 'Machine' }] });
    expect((await cli('machine', 'list', '-o', 'yaml', '-l', 'role=single')).stdout).toMatch(/^kind: List$/m);
  });

  test('MachineSets come with what they want and have', async () => {
    const { stdout } = await cli('machineset', 'list', '-o', 'wide');
    expect(stdout).toMatch(/^NAME +DESIRED +CURRENT +READY +AVAILABLE +SELECTOR +AGE +TROUBLE\n/);
    expect(stdout).toMatch(/^workers +2 +2 +2 +2 +set=workers +\d+\w*$/m);
  });
});

describe('what is shown of one', () => {
  test('describe tells of spec, status, conditions, events and the workflow with its page', async () => {
    const { stdout, code } = await cli('machine', 'describe', 'of-class', '--ui-url', temporal.uiUrl);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Running: Node \S+ has joined/);
    expect(stdout).toMatch(/^Spec:\n {2}MachineClass: +small$/m);
    expect(stdout).toMatch(/^ {2}Instance: +i-\w+ \(running\)$/m);
    expect(stdout).toMatch(/^ {2}NodeReady +True /m);
    expect(stdout).toMatch(/ Normal +SuccessfulSetNodeRef +Node \S+ is the machine's$/m);
    expect(stdout).toMatch(/^ {2}State: +running since /m);
    expect(stdout).toContain(`${temporal.uiUrl}/namespaces/${temporal.namespace}/workflows/machine%2F${NAMESPACE}%2F`);
  });

  test('describe as JSON holds the object, its events and its workflow', async () => {
    const { stdout } = await cli('machine', 'describe', 'halted', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      summary: expect.stringMatching(/^Waiting for the pause/),
      machine: { kind: 'Machine', metadata: { name: 'halted' } },
      workflow: { id: expect.stringMatching(/^machine\/cli-commands\/halted\//) },
    });
    const reason = await cli('machine', 'explain', 'halted', '-o', 'jsonpath={.step} {.reason}');
    expect(reason.stdout).toBe('Paused Paused');
  });

  test('the tree has every object of the cluster, and says why one is not ready', async () => {
    const { stdout } = await cli('tree', NAMESPACE, '-o', 'wide');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).toMatch(/^Cluster cli-commands +False +NotAllReady +3 of 4 machines ready/);
    expect(lines[2]).toMatch(/^├─MachineClass small +True +1 machine refers to it$/);
    expect(lines[3]).toMatch(/^├─MachineSet workers +True +2 of 2 ready$/);
    expect(lines[4]).toMatch(/^│ ├─Machine workers-\w+ +True +\d+\w+$/);
    expect(lines[5]).toMatch(/^│ │ ├─Instance i-\w+ +True$/);
    expect(lines[6]).toMatch(/^│ │ └─Node \S+ +True +\d+\w+$/);
    expect(stdout).toMatch(/^├─Machine halted +False +Paused +\d+\w+ +annotation cluster\.x-k8s\.io\/paused is set/m);
    const ready = await cli('tree', NAMESPACE, '-o', 'jsonpath={.children[?(@.ready=="True")].name}');
    expect(ready.stdout).toBe('small workers of-class');
  });
});

describe('what was not understood, or is not there', () => {
  test.each([
    [
      ['machine', 'explain', 'haltet'],
      3,
      /^millwright: there is no Machine cli-commands\/haltet; did you mean halted\?\n$/,
    ],
    [
      ['-n', 'default', 'machine', 'describe', 'of-class'],
      3,
      /there is one in namespace cli-commands: name it by -n\n$/,
    ],
    [
      ['machineset', 'scale', 'worker', '--replicas', '1'],
      3,
      /no MachineSet cli-commands\/worker; did you mean workers\?/,
    ],
    [['tree', 'cli-command'], 3, /belongs to a cluster cli-command; did you mean cli-commands\?/],
    [['machine', 'list', '-o', 'jsonpath={range .items[*]}{end}'], 2, /^millwright: .*\{range\} is not supported.*\n$/],
    [
      ['machine', 'list', '-l', 'a=b=c'],
      1,
      /^millwright: could not list the machines of namespace cli-commands: .*\n$/,
    ],
    [['machineset', 'scale', 'workers'], 2, /required option '--replicas/],
    [['machineset', 'scale', 'workers', '--replicas', '-1'], 2, /whole number/],
    [['--context', 'nowhere', 'machine', 'list'], 1, /^millwright: .*no context "nowhere".*\n$/],
  ])('%j ends with %d and one clear line', async (args, code, line) => {
    const answer = await cli(...args);
    expect(answer).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toMatch(line);
  });
});

describe('colours', () => {
  const python = `import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))`;
  const onTerminal = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const command = cliCommand('-n', NAMESPACE, 'machine', 'list');
    const { stdout } = await promisify(execFile)('python3', ['-c', python, ...command], {
      env: cliEnvironment({ TERM: 'xterm-256color', ...env }),
    });
    return stdout;
  };
  const green = '\u001B[32mRunning\u001B[39m';

  test('are on a terminal only, and not where NO_COLOR is set', async () => {
    expect(await onTerminal({})).toContain(green);
    const without = await onTerminal({ NO_COLOR: '1' });
    expect(without).toContain('Running');
    expect(without).not.toContain('\u001B[');
    expect((await cli('machine', 'list')).stdout).not.toContain('\u001B[');
  });
});

describe('completion', () => {
  test('names machines, sets, clusters and namespaces as the cluster has them', async () => {
    const complete = async (...words: string[]) =>
      (await runCli(['complete', '--', ...words])).stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
    expect(await complete('-n', NAMESPACE, 'machine', 'explain', 'ha')).toEqual(['halted', ':4']);
    expect(await complete('machine', '-n', NAMESPACE, 'delete', 'halted', '')).toEqual(
      expect.arrayContaining(['of-class', ...workers]),
    );
    expect(await complete('-n', NAMESPACE, 'machine', 'maintenance', 'on', 'ha')).toEqual(['halted', ':4']);
    expect(await complete('-n', NAMESPACE, 'machinesets', 'scale', '')).toEqual(['workers', ':4']);
    expect(await complete('-n', NAMESPACE, 'tree', '')).toEqual([NAMESPACE, ':4']);
    expect(await complete('machine', 'list', '-n', 'cli-com')).toEqual([NAMESPACE, ':4']);
    expect(await complete('--context', 'nowhere', 'machine', 'explain', '')).toEqual([':4']);
  });

  test.each([
    [['millwright', '-n', NAMESPACE, 'machine', 'explain', 'of-'], 'of-class'],
    [['millwright', 'machine', 'list', '-n', NAMESPACE, '--output', '=', 'j'], 'json jsonpath='],
    [['millwright', '-n', NAMESPACE, 'machine', 'explain', '$(echo of-)'], ''],
  ])('works in a bash that took the script in: %j becomes %j', async (words, reply) => {
    const script = `
      millwright() { ${cliCommand().join(' ')} "$@"; }
      source <(millwright completion bash); source <(millwright completion bash)
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      __millwright_complete
      echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-uc', script, 'bash', ...words], {
      env: cliEnvironment(),
    });
    expect({ reply: stdout.trim(), stderr }).toEqual({ reply, stderr: '' });
  });
});

describe('what is changed', () => {
  test('a set is scaled, where it is set to what --current-replicas says', async () => {
    const refused = await cli('machineset', 'scale', 'workers', '--replicas', '1', '--current-replicas', '5');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/is set to 2 machines, not to 5 .* nothing was changed\n$/);
    expect((await own.machineSet('workers')).spec.replicas).toBe(2);

    const scaled = await cli('machineset', 'scale', 'workers', '--replicas', '1', '--current-replicas', '2');
    expect(scaled).toMatchObject({
      code: 0,
      stdout: `MachineSet ${NAMESPACE}/workers is scaled from 2 to 1\n`,
    });
    await own.untilMachineSet('workers', ({ status }) => status?.replicas === 1, 'one is left');
    const again = await cli('machineset', 'scale', 'workers', '--replicas', '1');
    expect(again.stdout).toBe(`MachineSet ${NAMESPACE}/workers is at 1 already\n`);
  });

  test('with one unknown name nothing is deleted', async () => {
    const answer = await cli('machine', 'delete', 'of-class', 'of-clas');
    expect(answer).toMatchObject({ code: 3, stdout: '' });
    expect((await own.machine('of-class'))?.spec).not.toHaveProperty('delete');
  });

  test('a paused machine is not gone in time, and that is told with its own exit code', async () => {
    await pause(own, 'of-class');
    await own.untilMachine('of-class', (m) => m.status?.waiting?.reason === 'Paused', 'paused');
    const answer = await cli('machine', 'delete', 'of-class', '--wait', '--timeout', '1');
    expect(answer.code).toBe(4);
    expect(answer.stdout).toMatch(
      /^Machine cli-commands\/of-class is being deleted: its instance i-\w+ will be terminated; it is paused, so nothing happens/,
    );
    expect(answer.stderr).toMatch(
      /^millwright: not gone after 1 s: Machine cli-commands\/of-class; the deletion goes on\. Waiting for the pause to be taken off: .*\n$/,
    );
    const withoutTemporal = await cli('machine', 'delete', 'of-class', '--wait', '--timeout', '1', '--profile', 'none');
    expect(withoutTemporal.code).toBe(4);
    await unpause(own, 'of-class');
  });

  test('an API server that does not answer for a moment does not end the wait', async () => {
    const { apiServer, certificate, stateDir, tokens } = getStack();
    const proxy = await createFaultProxy({
      target: apiServer,
      tls: { ca: certificate },
      ...createKubernetesClassifier(),
    });
    const kubeconfig = join(stateDir, 'cli-delete.kubeconfig');
    await writeProxiedKubeconfig(kubeconfig, proxy.url, tokens.admin);
    // The first is looked for before it is deleted, the others are the wait.
    const lost = [2, 3].map((ordinal) =>
      proxy.addRule({ match: { verb: 'get', resource: 'machines', ordinal }, fault: { kind: 'lose-request' } }),
    );
    await own.createMachine('brief');
    await own.untilPhase('brief', 'Running');
    const answer = await runCli(['-n', NAMESPACE, 'machine', 'delete', 'brief', '--wait', '--timeout', '50'], {
      KUBECONFIG: kubeconfig,
    });
    await proxy.close();
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    expect(answer.stdout).toMatch(/^Machine cli-commands\/brief is gone$/m);
    expect(lost.map(({ hits }) => hits)).toEqual([1, 1]);
  });

  test('several machines are deleted and waited for, and meanwhile it is told what for', async () => {
    const [worker = ''] = (await cli('machine', 'list', '-l', 'set=workers', '-o', NAMES)).stdout.split(' ');
    const running = startCli('-n', NAMESPACE, 'machine', 'delete', 'halted', worker, '--wait', '--timeout', '50');
    await until(
      'it says that one is paused',
      async () => running.stdout(),
      (text) => /^Machine cli-commands\/halted: Waiting for the pause/m.test(text),
    );
    await unpause(own, 'halted');
    const { stdout, code } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Machine cli-commands\/halted is being deleted: it has no instance that is known; it is paused, so nothing happens/m,
    );
    expect(stdout).toMatch(
      /^Machine cli-commands\/workers-\w+ is being deleted: its instance i-\w+ will be terminated; MachineSet workers makes another unless it is scaled down$/m,
    );
    expect(stdout).toMatch(/^Machine cli-commands\/workers-\w+: Waiting for /m);
    expect(stdout).toMatch(/^Machine cli-commands\/halted is gone$/m);
    expect(stdout).toMatch(/^Machine cli-commands\/workers-\w+ is gone$/m);
    expect(await own.machine(worker)).toBeUndefined();
  });
});
