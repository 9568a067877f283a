import type { KubeClient } from '../../../k8s/client.ts';
import { SELF_SUBJECT_REVIEWS } from './who-am-i.ts';

/** What the API server's clock shows, in milliseconds since the epoch, cut to whole seconds; undefined: it does not tell. */
export async function readServerTime(kube: KubeClient): Promise<number | undefined> {
  try {
    const body = { apiVersion: SELF_SUBJECT_REVIEWS.apiVersion, kind: SELF_SUBJECT_REVIEWS.kind };
    const { metadata } = await kube.create<{ metadata?: { creationTimestamp?: string | null } }>(
      SELF_SUBJECT_REVIEWS,
      undefined,
      body,
    );
    const at = Date.parse(metadata?.creationTimestamp ?? '');
    return Number.isNaN(at) ? undefined : at;
  } catch {
    return undefined; // Older than 1.28, or refused: our own clock has to do.
  }
}
