import type { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts';

const { INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;
/** How often, and how long, to look whether the server shows what was registered. */
const LOOK_MS = 200;
const LOOKS = 100;

/**
 * Registers the search attributes that workflows write, and waits until the namespace shows them: a workflow that writes
 * one that is not registered stands still.
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const wanted = SEARCH_ATTRIBUTES.map(({ name }) => name);
  const missing = await missingOf(connection, namespace, wanted);
  if (missing.length === 0) return;
  await connection.operatorService
    .addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
    })
    .catch((error: unknown) => {
      // Another watcher registers the same ones.
      if (!String(error).includes('already exist')) throw error;
    });
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await missingOf(connection, namespace, wanted)).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(
    `search attributes ${missing.join(', ')} were registered in the Temporal namespace ${namespace} and do not show after ${(LOOKS * LOOK_MS) / 1000} s`,
  );
}

async function missingOf(connection: Connection, namespace: string, wanted: readonly string[]): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  return wanted.filter((name) => customAttributes[name] !== INDEXED_VALUE_TYPE_KEYWORD);
}
