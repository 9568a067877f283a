import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { MachineHealthCheckObject } from '../../../k8s/api/machine.openshift.io/machine-health-check.ts';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import type { StoredObject } from '../../../k8s/dialects/kind.ts';
import { MACHINE_HEALTH_CHECKS } from '../../../k8s/dialects/openshift/resources.ts';
import { unlessGone } from '../../../k8s/kube-error.ts';
import { CUSTOM_RESOURCE_DEFINITIONS, NODES, type Resource } from '../../../k8s/resources.ts';
import { isReady, type Node } from '../../../k8s/model/node.ts';
import { openNamespace, readNode, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { until } from '../until.ts';
import { runCli, type CliAnswer } from './run-cli.ts';

// Each waits for machines.
jest.setTimeout(180_000);

const NAMESPACE = 'cli-health-checks';
const METAL3 = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1', namespaced: true };
const REMEDIATIONS: Resource = { ...METAL3, kind: 'Metal3Remediation', plural: 'metal3remediations' };
const TEMPLATES: Resource = { ...METAL3, kind: 'Metal3RemediationTemplate', plural: 'metal3remediationtemplates' };
const { kube } = getStack();
let own: OwnNamespace;

const cli = (...args: readonly string[]): Promise<CliAnswer> => runCli(['-n', NAMESPACE, ...args]);
const explain = async (check: string): Promise<string> => (await cli('healthcheck', 'explain', check)).stdout;
const untilExplained = (check: string, words: RegExp) =>
  until(
    `${check}: ${words}`,
    () => explain(check),
    (text) => words.test(text),
    { timeoutMs: 40_000, everyMs: 500 },
  );

/** A condition that nobody but this test writes. */
async function say(machine: MachineObject, isSick: boolean): Promise<void> {
  const name = machine.status?.nodeRef?.name ?? '';
  const node = await kube.get<Node>(NODES, undefined, name);
  const others = (node.status?.conditions ?? []).filter(({ type }) => type !== 'Sick');
  const at = new Date().toISOString();
  const sick = {
    type: 'Sick',
    status: isSick ? 'True' : 'False',
    reason: 'Told',
    message: 'by a test',
    lastHeartbeatTime: at,
    lastTransitionTime: at,
  };
  const body = { status: { conditions: [...others, sick] } };
  await kube.mergePatch(NODES, undefined, name, body, { subresource: 'status' });
}

async function createCheck(name: string, timeout: string, more: object = {}): Promise<void> {
  await kube.create<MachineHealthCheckObject>(MACHINE_HEALTH_CHECKS, NAMESPACE, {
    apiVersion: MACHINE_HEALTH_CHECKS.apiVersion,
    kind: MACHINE_HEALTH_CHECKS.kind,
    metadata: { name, namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: { set: name } },
      unhealthyConditions: [{ type: 'Sick', status: 'True', timeout }],
      ...more,
    },
  });
}

async function createSet(name: string, replicas: number): Promise<readonly MachineObject[]> {
  await own.createMachineSet(name, { replicas });
  await own.untilMachineSet(name, (set) => set.status?.availableReplicas === replicas, `${replicas} available`);
  return machinesOf(name);
}

const machinesOf = async (set: string): Promise<MachineObject[]> =>
  (await own.machines()).filter(({ metadata }) => metadata.labels?.['set'] === set);

beforeAll(async () => {
  own = await openNamespace(NAMESPACE);
}, 120_000);

afterAll(async () => {
  for (const { plural } of [TEMPLATES, REMEDIATIONS]) {
    const name = `${plural}.infrastructure.cluster.x-k8s.io`;
    await unlessGone(kube.delete(CUSTOM_RESOURCE_DEFINITIONS, undefined, name));
  }
  await own.end();
}, 120_000);

describe('millwright healthcheck', () => {
  test('lists checks and explains each machine: who is healthy, since when one is not, and when it is remediated', async () => {
    const [sick, ...well] = await createSet('slow', 3);
    if (sick === undefined) throw new Error('there is no machine');
    await createCheck('slow', '1h');
    await untilExplained('slow', /^3 of 3 machines are healthy$/m);
    await say(sick, true);
    const told = await untilExplained('slow', /^2 of 3 machines are healthy$/m);
    const row = new RegExp(
      `^${sick.metadata.name} +no +\\S+ +in (1h|59m)\\S* +Sick of its Node \\S+ is True \\(Told\\) +is remediated when that has lasted for 1 h`,
      'm',
    );
    expect(told).toMatch(row);
    for (const { metadata } of well) expect(told).toMatch(new RegExp(`^${metadata.name} +yes`, 'm'));
    expect(told).toMatch(/^Unhealthy when: +Sick of its Node is True for 1 h$/m);
    expect(told).toMatch(/InFlightLimit: holds nothing up: .* at most 1 may be at a time/);
    const list = await cli('healthcheck', 'list');
    expect(list).toMatchObject({ code: 0, stderr: '' });
    expect(list.stdout).toMatch(/^slow +100% +3 +2 /m);
    const json = JSON.parse((await cli('healthcheck', 'explain', 'slow', '-o', 'json')).stdout) as object;
    expect(json).toMatchObject({ expected: 3, healthy: 2 });
    expect(await cli('healthcheck', 'explain', 'nobody')).toMatchObject({ code: 3, stdout: '' });
    expect((await cli('healthcheck', 'proceed', 'slow')).stdout).toContain('suspects no storm; nothing was changed');
    // An hour is too long for this one: a person wants it at once.
    const wish = await cli('machine', 'remediate', sick.metadata.name, '--reason', 'its disk is slow');
    expect(wish).toMatchObject({ code: 0, stderr: '' });
    expect(wish.stdout).toContain('health check slow sees to it');
    await own.untilMachines(
      'it is replaced',
      (seen) => {
        const all = seen.filter(({ metadata }) => metadata.labels?.['set'] === 'slow');
        const isGone = all.every(({ metadata }) => metadata.uid !== sick.metadata.uid);
        return isGone && all.length === 3 && all.every(({ status }) => status?.phase === 'Running');
      },
      { timeoutMs: 60_000 },
    );
    await untilExplained('slow', /^3 of 3 machines are healthy$/m);
    const again = await cli('machine', 'remediate', sick.metadata.name);
    expect(again).toMatchObject({ code: 3, stdout: '' });
  });

  test('holds a storm, and goes on where a person says so: one machine at a time', async () => {
    const machines = await createSet('storm', 4);
    await createCheck('storm', '1s', { remediation: { maxInFlight: '100%' } });
    await untilExplained('storm', /^4 of 4 machines are healthy$/m);
    await Promise.all(machines.slice(0, 3).map((machine) => say(machine, true)));
    await untilExplained('storm', /held: .*3 of 4 machines are bad by one cause/);
    expect((await cli('healthcheck', 'list')).stdout).toMatch(/^storm +100% +4 +1 .*ManyAtOnce$/m);
    expect((await machinesOf('storm')).map(({ metadata }) => metadata.deletionTimestamp)).toEqual(
      [1, 2, 3, 4].map(() => undefined),
    );
    const proceeded = await cli('healthcheck', 'proceed', 'storm');
    expect(proceeded).toMatchObject({ code: 0, stderr: '' });
    expect(proceeded.stdout).toContain('goes on in spite of the storm');
    const before = new Set(machines.map(({ metadata }) => metadata.uid));
    const isNew = ({ metadata }: MachineObject): boolean => !before.has(metadata.uid);
    let mostAtOnce = 0;
    await own.untilMachines(
      'the first one is replaced',
      (seen) => {
        const all = seen.filter(({ metadata }) => metadata.labels?.['set'] === 'storm');
        const fresh = all.filter(isNew);
        if (!fresh.some(({ status }) => status?.phase === 'Running')) {
          mostAtOnce = Math.max(
            mostAtOnce,
            all.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length,
          );
        }
        return fresh.length === 3 && all.length === 4 && all.every(({ status }) => status?.phase === 'Running');
      },
      { timeoutMs: 90_000, everyMs: 100 },
    );
    expect(mostAtOnce).toBeLessThanOrEqual(1);
    await untilExplained('storm', /^4 of 4 machines are healthy$/m);
  });
});

describe('a check with a template', () => {
  /** Metal3's kinds, as far as it matters that they are served. */
  async function serve({ kind, plural }: Resource): Promise<void> {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await kube.create(CUSTOM_RESOURCE_DEFINITIONS, undefined, {
      metadata: { name: `${plural}.infrastructure.cluster.x-k8s.io` },
      spec: {
        group: 'infrastructure.cluster.x-k8s.io',
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
      },
    });
    await until(
      `${kind} is served`,
      () => kube.find(METAL3.apiVersion, kind),
      (found) => found !== undefined,
    );
  }
  const made = (name: string) => unlessGone(kube.get<StoredObject>(REMEDIATIONS, NAMESPACE, name));

  test('says that it is missing; then asks by an object of the Machine’s name, which goes when that is well again', async () => {
    const machines = await createSet('metal', 2);
    const [sick] = machines;
    if (sick === undefined) throw new Error('there is no machine');
    const remediationTemplate = { apiVersion: METAL3.apiVersion, kind: TEMPLATES.kind, name: 'reboot' };
    await createCheck('metal', '1s', { remediationTemplate });
    await untilExplained('metal', /the API server has no Metal3RemediationTemplate/);
    await serve(TEMPLATES);
    await serve(REMEDIATIONS);
    await kube.create(TEMPLATES, NAMESPACE, {
      apiVersion: METAL3.apiVersion,
      kind: TEMPLATES.kind,
      metadata: { name: 'reboot', namespace: NAMESPACE },
      spec: { template: { spec: { strategy: { type: 'Reboot', retryLimit: 1 } } } },
    });
    await say(sick, true);
    const request = await until(
      'another program is asked',
      () => made(sick.metadata.name),
      (found) => found !== undefined,
      { timeoutMs: 40_000 },
    );
    expect(request).toMatchObject({
      spec: { strategy: { type: 'Reboot', retryLimit: 1 } },
      metadata: { ownerReferences: [{ kind: 'Machine', name: sick.metadata.name, uid: sick.metadata.uid }] },
    });
    await untilExplained('metal', /waits for the program that its Metal3Remediation \S+ tells of/);
    expect(await explain('metal')).not.toContain('ExternalRemediationTemplateAvailable');
    await say(sick, false);
    await until(
      'the object is gone',
      () => made(sick.metadata.name),
      (found) => found === undefined,
      { timeoutMs: 40_000 },
    );
    await untilExplained('metal', /^2 of 2 machines are healthy$/m);
    const left = await machinesOf('metal');
    expect(left.map(({ metadata }) => metadata.uid).sort()).toEqual(
      machines.map(({ metadata }) => metadata.uid).sort(),
    );
    const node = await readNode(sick.status?.nodeRef?.name ?? '');
    expect(node !== undefined && isReady(node)).toBe(true);
  });
});
