import { KubeError, NOT_SERVED } from '../../../k8s/kube-error.ts';
import type { Resource } from '../../../k8s/resources.ts';

/** The API server's refusals, with the status, the reason and about the words of each. */

export function notFound(resource: Resource, name: string): KubeError {
  return new KubeError(404, 'NotFound', `${fullName(resource)} "${name}" not found`);
}

export function notServed({ apiVersion, plural }: Resource): KubeError {
  return new KubeError(404, NOT_SERVED, `404 page not found: ${apiVersion} ${plural}`);
}

export function alreadyExists(resource: Resource, name: string): KubeError {
  return new KubeError(409, 'AlreadyExists', `${fullName(resource)} "${name}" already exists`);
}

export function conflict(resource: Resource, name: string, why: string): KubeError {
  return new KubeError(409, 'Conflict', `Operation cannot be fulfilled on ${fullName(resource)} "${name}": ${why}`);
}

export function invalid({ kind, apiVersion }: Resource, name: string, why: string): KubeError {
  const [group = '', version] = apiVersion.split('/');
  return new KubeError(
    422,
    'Invalid',
    `${kind}${version === undefined ? '' : `.${group}`} "${name}" is invalid: ${why}`,
  );
}

/** By a ValidatingAdmissionPolicy, whose reason is Invalid, and its binding of the same name. */
export function deniedByPolicy(resource: Resource, name: string, policy: string, why: string): KubeError {
  const denied = `ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${why}`;
  return new KubeError(422, 'Invalid', `${fullName(resource)} "${name}" is forbidden: ${denied}`);
}

export function refusedPatch(why: string): KubeError {
  return new KubeError(422, 'Invalid', `the server rejected our request due to an error in our request: ${why}`);
}

export function badRequest(why: string): KubeError {
  return new KubeError(400, 'BadRequest', why);
}

/** A version that the history of changes does not reach back to. */
export function expired(version: number, oldest: number): KubeError {
  return new KubeError(410, 'Expired', `too old resource version: ${version} (${oldest})`);
}

/** No answer came: whether the request took effect is not known. */
export function unanswered(what: string): KubeError {
  return new KubeError(0, 'Unreachable', `${what}: no answer`);
}

function fullName({ plural, apiVersion }: Resource): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? plural : `${plural}.${group}`;
}
