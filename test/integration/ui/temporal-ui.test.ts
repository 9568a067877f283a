import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PAUSED_ANNOTATION } from '../../../k8s/model/paused-annotation.ts';
import { MACHINE_SETS, MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { workflowIdOf } from '../../../workflows/ids.ts';
import { openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { until } from '../until.ts';
import { TemporalPages, type ListedMachine } from './temporal-pages.ts';

const NAME = 'production';
const HERE = `ObjectNamespace = "${NAME}"`;

let own: OwnNamespace;
let pages: TemporalPages;
/** Names of machines that run, and of one that is gone. */
let running: string[];
let gone: { readonly id: string; readonly instance: string };

beforeAll(async () => {
  [own, pages] = await Promise.all([openNamespace(NAME), TemporalPages.open()]);
  await own.createMachineSet('workers', { replicas: 3 });
  await own.createMachine('without-user-data', { providerSpec: { userDataSecret: { name: 'bootstrap' } } });
  await own.createMachine('on-hold', { annotations: { [PAUSED_ANNOTATION]: '' } });
  await own.createMachine('retired');
  // At rest: a timer that fires during the last task would have it done over, without its steps.
  const retired = await own.untilMachine('retired', isRunning, 'runs and is at rest');
  gone = { id: idOf(retired.metadata), instance: retired.status?.providerStatus?.instanceId ?? '' };
  await own.removeMachine('retired');
  const machines = await own.untilMachines(
    'the set is up',
    (all) => ofSet(all).every(isRunning) && ofSet(all).length === 3,
  );
  running = ofSet(machines).map(({ metadata }) => metadata.name);
}, 120_000);

afterAll(async () => {
  await pages?.close();
  await own?.end();
}, 120_000);

type Seen = Awaited<ReturnType<OwnNamespace['machines']>>[number];

function ofSet(machines: readonly Seen[]): Seen[] {
  return machines.filter(({ metadata }) => metadata.name.startsWith('workers-'));
}

function isRunning({ status }: Seen): boolean {
  return status?.phase === 'Running' && status.providerStatus?.instanceState === 'running';
}

function idOf({ name, uid }: { readonly name: string; readonly uid: string }): string {
  return workflowIdOf({ apiVersion: MACHINES.apiVersion, kind: MACHINES.kind, namespace: NAME, name, uid });
}

async function workflowIdOfMachine(name: string): Promise<string> {
  const machine = await own.machine(name);
  if (machine === undefined) throw new Error(`${name} is gone`);
  return idOf(machine.metadata);
}

/** The list is brought up to date a moment after the workflow. */
async function untilListed(query: string, isIt: (rows: ListedMachine[]) => boolean): Promise<ListedMachine[]> {
  return until(`the list of ${query}`, () => pages.list(query), isIt, { timeoutMs: 20_000, everyMs: 500 });
}

function moment(words: string): RegExp {
  return new RegExp(String.raw`${words}.*\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`);
}

describe('the list', () => {
  test('filtered by MachinePhase = "Running" shows the machines that run, with instance and Node', async () => {
    const rows = await untilListed(`MachinePhase = "Running" AND ${HERE}`, ({ length }) => length === running.length);
    await pages.keepPicture('temporal-ui', 460);
    expect(rows.map(({ machine }) => machine).sort()).toEqual(running.map((name) => `${NAME}/${name}`).sort());
    for (const { phase, reason, instance, node } of rows) {
      expect({ phase, reason }).toEqual({ phase: 'Running', reason: '' });
      expect(instance).toMatch(/^i-/);
      expect(node).toMatch(/\.internal$/);
    }
  }, 60_000);

  test('filtered by a reason shows the machines that wait, and what for', async () => {
    const query = `MachineReason IS NOT NULL AND ExecutionStatus = "Running" AND ${HERE}`;
    const rows = await untilListed(query, ({ length }) => length === 2);
    await pages.keepPicture('temporal-ui-waiting', 440);
    const reasons = Object.fromEntries(rows.map(({ machine, reason }) => [machine, reason]));
    expect(reasons).toEqual({ [`${NAME}/without-user-data`]: 'SecretMissing', [`${NAME}/on-hold`]: 'Paused' });
  }, 60_000);

  test('filtered by its set shows the machines of a set', async () => {
    const rows = await untilListed(`MachineOwner = "workers" AND ${HERE}`, ({ length }) => length === running.length);
    expect(rows.map(({ machine }) => machine).sort()).toEqual(running.map((name) => `${NAME}/${name}`).sort());
  }, 60_000);
});

describe('the page of a machine that runs', () => {
  test('is reached from the list, and names its steps', async () => {
    await untilListed(`MachinePhase = "Running" AND ${HERE}`, ({ length }) => length === running.length);
    await pages.openFromList(await workflowIdOfMachine(running[0] ?? ''));
    const history = await pages.history();
    await pages.keepPicture('temporal-ui-machine', 1750);
    const steps = history.join('\n');
    for (const step of [
      /look at the Machine and its Node/,
      /freeze what to launch, and its token, in the status/,
      /Activity .*launch sim\.small in zone-\w, attempt 1/,
      /record instance i-\w+ \(running\) in the Machine/,
      /Timer Started.*until [-\d ]*\d\d:\d\d:\d\d UTC: instance \S+ was created; its Node \S+ has not joined yet/,
      /Timer Started.*until [-\d ]*\d\d:\d\d:\d\d UTC: a slow look at everything/,
    ]) {
      expect(steps).toMatch(step);
    }
  }, 60_000);

  test('says what it is, and that it waits for nothing', async () => {
    const machine = await own.machine(running[0] ?? '');
    await pages.openWorkflow(await workflowIdOfMachine(running[0] ?? ''));
    const { summary, details, current } = await pages.metadata();
    expect(summary).toBe(`Machine ${NAME}/${running[0]} of cluster ${NAME}`);
    expect(details).toContain('The whole life of one machine');
    expect(current).toMatch(/^Running\n/);
    expect(current).toContain('Waits for: nothing');
    expect(current).toContain('Last error: none');
    expect(current).toContain(`Instance: ${machine?.status?.providerStatus?.instanceId} (running)`);
    expect(current).toContain(`Node: ${machine?.status?.nodeRef?.name}`);
    expect(current).toMatch(moment('Since:'));
    expect(current).toMatch(moment('Next try: when something changes, at the latest'));
  }, 60_000);

  test('has the search attributes that the list is filtered by', async () => {
    await pages.openWorkflow(await workflowIdOfMachine(running[0] ?? ''));
    expect(await pages.searchAttributes()).toMatchObject({
      MachinePhase: 'Running',
      MachineCluster: NAME,
      MachineOwner: 'workers',
      MachineProvider: 'simulated',
      MachineInstance: expect.stringMatching(/^i-/),
      MachineNode: expect.stringMatching(/\.internal$/),
      ObjectNamespace: NAME,
    });
  }, 60_000);
});

test('the page of a machine that waits says what for, since when, the last error, the next try, and what to do', async () => {
  await pages.openWorkflow(await workflowIdOfMachine('without-user-data'));
  const { current } = await pages.metadata();
  await pages.keepPicture('temporal-ui-details', 860);
  expect(current).toMatch(/^Provisioning, waits in step Launch: SecretMissing\n/);
  expect(current).toContain(
    `Waits for: providerSpec.value.userDataSecret.name: Secret ${NAME}/bootstrap does not exist`,
  );
  expect(current).toMatch(moment('Since:'));
  expect(current).toContain('Last error: SecretMissing, as said above');
  expect(current).toMatch(moment('Next try:'));
  expect(current).toContain('Instance: none yet');
  expect(current).toContain('Node: none yet');
  expect(current).toContain('What to do: Create the Secret, or correct its name in the spec');
  expect(current).toContain(`Where to look: millwright machine explain -n ${NAME} without-user-data`);
  const history = (await pages.history()).join('\n');
  expect(history).toMatch(/write the status: Provisioning, waits in Launch: SecretMissing/);
  expect(history).toMatch(/Timer Started.*until .* UTC: .*Secret production\/bootstrap does not exist/);
}, 60_000);

test('the page of a paused machine says what holds it, and that only a change helps', async () => {
  await pages.openWorkflow(await workflowIdOfMachine('on-hold'));
  const { current } = await pages.metadata();
  expect(current).toContain(`annotation ${PAUSED_ANNOTATION} is set`);
  expect(current).toContain('Next try: when something changes');
  expect(current).toContain('What to do: Take off the pause');
}, 60_000);

test('the page of a machine that was deleted tells its end', async () => {
  await pages.openWorkflow(gone.id);
  const { current } = await pages.metadata();
  expect(current).toBe(`Gone: Machine ${NAME}/retired was deleted, step by step. Its instance ${gone.instance} ended.`);
  const history = (await pages.history()).join('\n');
  expect(history).toContain(`terminate ${gone.instance}`);
  expect(history).toContain('let the Machine object go');
}, 60_000);

test('the page of a set says how many machines there are, and leads to them', async () => {
  const { metadata } = await own.machineSet('workers');
  const { apiVersion, kind } = MACHINE_SETS;
  await pages.openWorkflow(workflowIdOf({ apiVersion, kind, ...metadata }));
  const { summary, current } = await pages.metadata();
  expect(summary).toBe(`MachineSet ${NAME}/workers of cluster ${NAME}`);
  expect(current).toMatch(/^3 of 3 machines, 3 Ready, 3 available\n/);
  expect(current).toContain('Waits for: nothing');
  expect(await pages.searchAttributes()).toMatchObject({ MachineCluster: NAME, ObjectNamespace: NAME });
  expect((await pages.history()).join('\n')).toContain('create 3 machines, to have 3');
}, 60_000);

test('no page asks anything of another computer', () => {
  expect(pages.refused).toEqual([]);
});
