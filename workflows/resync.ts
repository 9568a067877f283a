import type { EntitySettings } from './settings.ts';

/** When everything is looked at again, whatever was signalled, in milliseconds: kept from pass to pass until it has come. */
export function resyncAt(
  memory: { resyncAt?: number },
  { resyncSeconds }: Pick<EntitySettings, 'resyncSeconds'>,
  now: number,
): number {
  if (memory.resyncAt === undefined || memory.resyncAt <= now) memory.resyncAt = now + resyncSeconds * 1000;
  return memory.resyncAt;
}
