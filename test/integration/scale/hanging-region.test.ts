import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MachineObject } from '../../../k8s/api/machine.openshift.io/machine.ts';
import { MACHINES } from '../../../k8s/dialects/openshift/resources.ts';
import { SECRETS } from '../../../k8s/resources.ts';
import { conditionOf, openNamespace, type OwnNamespace } from '../lifecycle/own-namespace.ts';
import { getStack } from '../stack.ts';
import { watchSlowness } from '../slowness.ts';
import { until } from '../until.ts';
import { startHangingFront, type HangingFront } from './hanging-front.ts';

const NAMESPACE = 'hanging-region';
const TOKEN = 'of-a-region-that-hangs';
const HANGING = 400;
const ELSEWHERE = 5;
const { kube, cloud } = getStack();
let front: HangingFront;
let own: OwnNamespace;

beforeAll(async () => {
  front = await startHangingFront(cloud.endpoint, TOKEN);
  own = await openNamespace(NAMESPACE, { worker: { cloudEndpoint: front.endpoint } });
  await kube.create(SECRETS, NAMESPACE, { metadata: { name: 'hanging' }, stringData: { token: TOKEN } });
}, 120_000);

afterAll(async () => {
  await Promise.all(
    (await own.machines())
      .filter(isElsewhere)
      .map(({ metadata }) => own.removeMachine(metadata.name, { timeoutMs: 100_000 })),
  );
  // The others would wait for proof that their launches made nothing: nobody waits for that here.
  await Promise.all([own.worker.end('SIGKILL'), own.watcher.end()]);
  for (const { metadata } of await own.machines()) {
    await own.patchMachine(metadata.name, { metadata: { finalizers: null } });
    await kube.delete(MACHINES, NAMESPACE, metadata.name);
  }
  await front.close();
}, 240_000);

const isTold = ({ status }: MachineObject) => status?.waiting?.reason === 'CloudNotAnswering';
const isElsewhere = ({ metadata }: { readonly metadata: { readonly name: string } }) =>
  !metadata.name.startsWith('hanging-');

/** Milliseconds from the creation of machines elsewhere until all of them run. */
async function timeToRun(stem: string): Promise<number> {
  const names = Array.from({ length: ELSEWHERE }, (_, i) => `${stem}-${i}`);
  const startedAt = performance.now();
  await Promise.all(names.map((name) => own.createMachine(name)));
  // One by one: a list of all would be most of what the computer has to do.
  await Promise.all(names.map((name) => own.untilPhase(name, 'Running', { timeoutMs: 120_000, everyMs: 100 })));
  return performance.now() - startedAt;
}

async function createHanging(): Promise<void> {
  const credentialsSecret = { name: 'hanging' };
  for (let from = 0; from < HANGING; from += 50) {
    const some = Array.from({ length: 50 }, (_, i) => `hanging-${from + i}`);
    await Promise.all(some.map((name) => own.createMachine(name, { providerSpec: { credentialsSecret } })));
  }
}

test('machines elsewhere come up as fast as alone while 400 are in a region that hangs', async () => {
  await timeToRun('warm');
  const aloneMs = await timeToRun('alone');

  const slownessMeanwhile = watchSlowness();
  const together = timeToRun('together');
  // It is waited for below, and told there where it fails.
  together.catch(() => {});
  await createHanging();
  const told = await own.untilMachines(
    'most of those in the region that hangs say so',
    (seen) => seen.filter(isTold).length >= HANGING * 0.8,
    { timeoutMs: 180_000, everyMs: 500 },
  );
  const togetherMs = await together;
  const slownessTogether = slownessMeanwhile();
  const slowness = watchSlowness();
  // The better of two: what else the computer does only slows them.
  const amongThemMs = Math.min(await timeToRun('among'), await timeToRun('again'));
  const mostUnanswered = front.unanswered;
  console.log(
    `5 machines run after ${Math.round(aloneMs)} ms alone, after ${Math.round(togetherMs)} ms started together with 400 in a region that hangs, after ${Math.round(amongThemMs)} ms among these, which got ${mostUnanswered} requests`,
  );

  expect(amongThemMs).toBeLessThanOrEqual((1.5 * aloneMs + 1000) * slowness());
  // Wider: the 400 are made at the same time, which alone keeps the computer busy, and until their first calls have run into
  // their time-out nobody knows that the region hangs.
  expect(togetherMs).toBeLessThanOrEqual((3 * aloneMs + 5000) * slownessTogether);
  const waiting = told.find(isTold);
  expect(waiting?.status?.waiting?.nextTry).toBeDefined();
  expect(waiting && conditionOf(waiting, 'MachineCreation')).toMatchObject({
    status: 'False',
    reason: 'CloudNotAnswering',
  });
  // A launch that was not sent leaves nothing to settle: its Machine goes at once.
  await own.removeMachine(waiting?.metadata.name ?? '', { timeoutMs: 60_000 });
}, 480_000);

test('a region that hangs is hardly asked any more when launches ran into their time-out, and the metrics tell', async () => {
  const metrics = async () => (await fetch(`${own.worker.url}/metrics`)).text();
  // Launches that ran into their time-out are looked up first: these looks hang as well.
  const isOpen = (text: string, calls: string) =>
    new RegExp(`millwright_cloud_not_answering\\{provider="simulated",.*secret="hanging",.*calls="${calls}"\\} 1`).test(
      text,
    );
  const areOpen = (text: string) => isOpen(text, 'launches') && isOpen(text, 'looks');
  await until('neither launches nor looks are sent any more', metrics, areOpen, { timeoutMs: 150_000 });
  const before = front.unanswered;
  await new Promise((resolve) => setTimeout(resolve, 8000));
  expect(front.unanswered - before).toBeLessThanOrEqual(3);
}, 240_000);
