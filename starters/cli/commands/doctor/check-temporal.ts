import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, type Connection } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import proto from '@temporalio/proto';
import { describeTemporalFailure } from '../../../../process/temporal-failure.ts';
import { describeAccess, type TemporalConnection } from '../../../../process/temporal-connection.ts';
import { SEARCH_ATTRIBUTES } from '../../../../workflows/search-attributes.ts';
import { readPollers } from '../../access/pollers.ts';
import type { ClockReading } from './clock-reading.ts';
import { reportFailed, reportUnknown, reportOk, type Finding } from './finding.ts';

const { INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;
const TIMEOUT_MS = 8000;
const NOT_FOUND = 5;

/** A request with a time limit. */
export function ask<T>(connection: Connection, request: () => Promise<T>): Promise<T> {
  return connection.withDeadline(Date.now() + TIMEOUT_MS, request);
}

/** Whether Temporal is there. */
export async function checkServer(connection: Connection, temporal: TemporalConnection): Promise<Finding> {
  const check = 'Temporal';
  const where = `${temporal.address}, ${describeAccess(temporal)}`;
  try {
    const { serverVersion } = await ask(connection, () => connection.workflowService.getSystemInfo({}));
    return reportOk(check, `${serverVersion || 'unknown version'} at ${where}`);
  } catch (error) {
    return reportFailed(
      check,
      `${where}: ${describeTemporalFailure(error)}`,
      'Check the address and how one gets in: --temporal-address, --profile, TEMPORAL_*. Workers and watchers wait for ' +
        'Temporal and go on by themselves; machines that run are not touched meanwhile.',
    );
  }
}

/** Whether the namespace is there. */
export async function checkNamespace(connection: Connection, namespace: string): Promise<Finding> {
  const check = `Temporal namespace ${namespace}`;
  try {
    const { config } = await ask(connection, () => connection.workflowService.describeNamespace({ namespace }));
    const days = Math.round(Number(String(config?.workflowExecutionRetentionTtl?.seconds ?? 0)) / 86_400);
    return reportOk(
      check,
      `it is there; histories of ended workflows are kept for ${days === 1 ? 'a day' : `${days} days`}`,
    );
  } catch (error) {
    if (!isMissing(error)) return reportUnknown(check, describeTemporalFailure(error));
    const advice = `Make it (temporal operator namespace create -n ${namespace}), or name another: --temporal-namespace.`;
    return reportFailed(check, 'it does not exist', advice);
  }
}

function isMissing(error: unknown): boolean {
  if (error instanceof NamespaceNotFoundError) return true;
  const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
  return code === NOT_FOUND;
}

/** Whether the search attributes are registered, as Keyword: a workflow that sets one that is not is blocked for good. */
export async function checkSearchAttributes(connection: Connection, namespace: string): Promise<Finding> {
  const check = 'search attributes';
  const names = SEARCH_ATTRIBUTES.map(({ name }) => name);
  let registered: Readonly<Record<string, unknown>>;
  try {
    const answer = await ask(connection, () => connection.operatorService.listSearchAttributes({ namespace }));
    registered = answer.customAttributes;
  } catch (error) {
    return reportUnknown(
      check,
      describeTemporalFailure(error),
      'Look at them in the Temporal UI, or as its administrator.',
    );
  }
  const mistyped = names.filter(
    (name) => registered[name] !== undefined && registered[name] !== INDEXED_VALUE_TYPE_KEYWORD,
  );
  if (mistyped.length > 0) {
    return reportFailed(
      check,
      `of another type than Keyword: ${mistyped.join(', ')}`,
      `Remove them (temporal operator search-attribute remove -n ${namespace}), then run \`millwright install\`.`,
    );
  }
  const missing = names.filter((name) => registered[name] === undefined);
  if (missing.length === 0) return reportOk(check, `all ${names.length} are registered, as Keyword`);
  return reportFailed(
    check,
    `not registered in Temporal namespace ${namespace}: ${missing.join(', ')}`,
    'Run `millwright install`; a watcher registers them, too, when it starts.',
  );
}

const CLOCK_TRIES = 20;
const CLOCK_PAUSE_MS = 100;

/**
 * What Temporal's clock says. No call tells the time, but a task queue tells when it was last asked for work: so one of
 * our own, that nobody else knows, is asked for a moment. Nothing is started, and nothing is left behind.
 */
export async function readTemporalClock(connection: Connection, namespace: string): Promise<ClockReading | undefined> {
  const name = `millwright-doctor-${randomUUID()}`;
  const ended = new AbortController();
  const sentAt = Date.now();
  const polling = connection
    .withAbortSignal(ended.signal, () =>
      ask(connection, () =>
        connection.workflowService.pollWorkflowTaskQueue({
          namespace,
          taskQueue: { name },
          identity: 'millwright-doctor',
        }),
      ),
    )
    .catch(() => undefined); // It is always given up.
  try {
    for (let tries = 0; tries < CLOCK_TRIES; tries += 1) {
      const [poller] = await ask(connection, () => readPollers(connection, namespace, name, 'workflow'));
      const receivedAt = Date.now();
      if (poller !== undefined) return { earliest: poller.lastPollAt, latest: poller.lastPollAt, sentAt, receivedAt };
      await delay(CLOCK_PAUSE_MS);
    }
    return undefined;
  } catch {
    return undefined; // Not everybody may poll.
  } finally {
    ended.abort();
    await polling;
  }
}
