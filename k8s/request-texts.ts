import type { DeleteOptions, PodName, WriteOptions } from './client.ts';

/** The query of a request's path; empty where nothing is given. */
export function queryOf(parameters: Record<string, string | undefined>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined) query.set(key, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** What the query of a write says of it. */
export function writeQuery({ fieldManager, dryRun = false }: WriteOptions): Record<string, string | undefined> {
  return { fieldManager, dryRun: dryRun ? 'All' : undefined };
}

/** The body of a deletion. Of a Pod: how many seconds its containers may take to end. */
export function removalOf({
  uid,
  resourceVersion,
  propagationPolicy = 'Background',
  gracePeriodSeconds,
}: DeleteOptions & { readonly gracePeriodSeconds?: number }): string {
  // What is undefined is left out.
  const preconditions = { uid, resourceVersion };
  const kind = { apiVersion: 'v1', kind: 'DeleteOptions' };
  return JSON.stringify({ ...kind, propagationPolicy, preconditions, gracePeriodSeconds });
}

/** The body of an eviction. */
export function evictionOf({ namespace, name, uid }: PodName): string {
  const kind = { apiVersion: 'policy/v1', kind: 'Eviction' };
  return JSON.stringify({ ...kind, metadata: { namespace, name }, deleteOptions: { preconditions: { uid } } });
}
