import type { Connection } from '@temporalio/client';
import type { KubeClient } from '../../../../k8s/client.ts';
import { KubeError } from '../../../../k8s/kube-error.ts';
import { readLease } from '../../../../k8s/lease.ts';
import { describeTemporalFailure } from '../../../../process/temporal-failure.ts';
import { readPollers } from '../../access/pollers.ts';
import { ask } from './check-temporal.ts';
import { reportFailed, reportUnknown, reportOk, wordsOf, type Finding } from './finding.ts';

const WATCHER_ADVICE =
  'Start one: `millwright watcher`. Without it no change of a Machine reaches its workflow. If one runs, its log says why.';
const DEFAULT_LEASE_SECONDS = 15;

/** Whether a watcher holds the Lease. */
export async function checkWatcher(kube: KubeClient, name: string, namespace: string, now: number): Promise<Finding> {
  const check = 'watcher';
  const lease = `Lease ${namespace}/${name}`;
  try {
    const found = await readLease(kube, namespace, name);
    if (found === undefined) return reportFailed(check, `there is no ${lease}`, WATCHER_ADVICE);
    const { holderIdentity = '', renewTime, leaseDurationSeconds = DEFAULT_LEASE_SECONDS } = found.spec ?? {};
    if (holderIdentity === '') return reportFailed(check, `nobody holds ${lease}`, WATCHER_ADVICE);
    const renewedAt = Date.parse(renewTime ?? '');
    const ago = Math.max(0, Math.round((now - renewedAt) / 1000));
    if (Number.isNaN(renewedAt) || now - renewedAt > leaseDurationSeconds * 1000) {
      const since = Number.isNaN(renewedAt) ? '' : `, ${ago} s ago`;
      return reportFailed(check, `${holderIdentity} held ${lease} and has let it run out${since}`, WATCHER_ADVICE);
    }
    return reportOk(check, `${holderIdentity} holds ${lease}, renewed ${ago} s ago`);
  } catch (error) {
    if (error instanceof KubeError && error.status === 403) {
      const advice = 'Run `millwright doctor` as an administrator, or with the credentials of the watcher.';
      return reportUnknown(check, `these credentials may not read ${lease}`, advice);
    }
    return reportUnknown(check, wordsOf(error));
  }
}

/** A worker asks again at least this often; one that asked no later than this is there. In milliseconds. */
const STALE_MS = 90_000;
const SHOWN_POLLERS = 3;

/** Whether workers ask the task queue for work. */
export async function checkWorkers(
  connection: Connection,
  namespace: string,
  taskQueue: string,
  type: 'workflow' | 'activity',
  now: number,
): Promise<Finding> {
  const check = `workers for ${type === 'workflow' ? 'workflows' : 'activities'}`;
  try {
    const pollers = await ask(connection, () => readPollers(connection, namespace, taskQueue, type));
    const fresh = pollers.filter(({ lastPollAt }) => now - lastPollAt < STALE_MS);
    if (fresh.length > 0) {
      const shown = fresh.slice(0, SHOWN_POLLERS).map(({ identity }) => identity);
      const more = fresh.length > SHOWN_POLLERS ? ', …' : '';
      return reportOk(check, `${fresh.length} on task queue ${taskQueue}: ${shown.join(', ')}${more}`);
    }
    const [last] = pollers;
    const before =
      last === undefined
        ? ''
        : `; the last, ${last.identity}, asked ${Math.round((now - last.lastPollAt) / 1000)} s ago`;
    return reportFailed(
      check,
      `none asks task queue ${taskQueue} for work${before}`,
      'Start one: `millwright worker`. Without it workflows stand still; they go on where they are. If one runs, compare ' +
        'its --task-queue and its Temporal namespace with these.',
    );
  } catch (error) {
    return reportUnknown(check, describeTemporalFailure(error));
  }
}
