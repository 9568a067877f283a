import { isGrpcServiceError, type Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts';
import { delay, type Clock } from '../providers/clock.ts';
import { messageOf } from '../providers/message-of.ts';

/** A search attribute cannot be had: it has another type, may not be registered, or does not become visible. */
export class SearchAttributesError extends Error {
  override readonly name = 'SearchAttributesError';
}

export interface RegisterOptions {
  readonly clock: Clock;
  /** How long they may take to become visible, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number;
}

const POLL_MS = 250;
const { INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;

/**
 * Registers the search attributes that are missing in a Temporal namespace, and resolves once the server lists all of
 * them and takes them in queries: a workflow that sets one that is not registered is blocked for good. May be repeated.
 * Rejects with {@link SearchAttributesError}, or with the server's error where it does not answer.
 */
export async function registerSearchAttributes(
  connection: Connection,
  namespace: string,
  { clock, timeoutMs = 30_000 }: RegisterOptions,
): Promise<void> {
  const names = SEARCH_ATTRIBUTES.map(({ name }) => name);
  const missing = await findMissing(connection, namespace, names);
  if (missing.length > 0) {
    try {
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
      });
    } catch (error) {
      // Somebody else registered one of them in this moment: whether all are there is seen below.
      if (!isAlreadyThere(error)) throw refusal(namespace, missing, error);
    }
  }
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const invisible = await findMissing(connection, namespace, names);
    if (invisible.length === 0 && (await areQueryable(connection, namespace, names))) return;
    if (clock.now() >= deadline) {
      const which = invisible.length === 0 ? names : invisible;
      throw new SearchAttributesError(
        `search attributes ${which.join(', ')} were registered in Temporal namespace ${namespace}, but the server does ` +
          `not know them ${timeoutMs / 1000} s later`,
      );
    }
    await delay(clock, POLL_MS);
  }
}

async function findMissing(connection: Connection, namespace: string, names: readonly string[]): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const mistyped = names.filter(
    (name) => customAttributes[name] !== undefined && customAttributes[name] !== INDEXED_VALUE_TYPE_KEYWORD,
  );
  if (mistyped.length > 0) {
    throw new SearchAttributesError(
      `Temporal namespace ${namespace} has search attributes ${mistyped.join(', ')} of another type than Keyword: ` +
        'remove them (temporal operator search-attribute remove), then try again',
    );
  }
  return names.filter((name) => customAttributes[name] === undefined);
}

/** The frontend checks names against a cache of its own, which a query shows. */
async function areQueryable(connection: Connection, namespace: string, names: readonly string[]): Promise<boolean> {
  try {
    const query = names.map((name) => `${name} = "-"`).join(' AND ');
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    if (hasCode(error, INVALID_ARGUMENT)) return false;
    throw error;
  }
}

function isAlreadyThere(error: unknown): boolean {
  return hasCode(error, ALREADY_EXISTS) || (error instanceof Error && error.message.includes('already exist'));
}

function refusal(namespace: string, missing: readonly string[], error: unknown): unknown {
  const isFinal = [INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED].some((code) => hasCode(error, code));
  if (!isFinal) return error;
  const came = messageOf(error);
  return new SearchAttributesError(
    `registering search attributes ${missing.join(', ')} in Temporal namespace ${namespace} was refused: ${came}. ` +
      'Register them as Keyword by other means (temporal operator search-attribute create), then try again.',
    { cause: error },
  );
}

const INVALID_ARGUMENT = 3;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

function hasCode(error: unknown, code: number): boolean {
  const came: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
  return came === code;
}
