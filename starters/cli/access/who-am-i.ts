import type { KubeClient } from '../../../k8s/client.ts';
import type { Resource } from '../../../k8s/resources.ts';

export const SELF_SUBJECT_REVIEWS: Resource = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
};

/** Who one is to Kubernetes; undefined where the API server does not tell. */
export async function whoAmI(kube: KubeClient): Promise<string | undefined> {
  try {
    const body = { apiVersion: SELF_SUBJECT_REVIEWS.apiVersion, kind: SELF_SUBJECT_REVIEWS.kind };
    const { status } = await kube.create<{ status?: { userInfo?: { username?: string } } }>(
      SELF_SUBJECT_REVIEWS,
      undefined,
      body,
    );
    return status?.userInfo?.username;
  } catch {
    return undefined; // Older than 1.28, or refused; everything else is asked all the same.
  }
}

/** As a person reads it. The login is second best: a container may have none, and Kubernetes does not know it. */
export async function nameMyself(kube: KubeClient): Promise<string> {
  return (await whoAmI(kube)) ?? (process.env['USER'] || 'somebody');
}
