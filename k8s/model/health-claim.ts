import type { HealthClaim } from './machine-health-check.ts';

/** On a Machine: the check that remediates it, as its name and its uid. The first one that acts has it. */
export const REMEDIATED_BY_ANNOTATION = 'millwright.dev/remediated-by';
/** On a Machine, with any value: another program remediates it. Metal3's, which the Machine API writes for it. */
export const EXTERNAL_REMEDIATION_ANNOTATION = 'host.metal3.io/external-remediation';

/** Of a claim: a name and a uid, as Kubernetes has them. */
const LONGEST = 300;

/** The annotation's value. */
export function writeHealthClaim({ name, uid }: HealthClaim): string {
  return `${name} ${uid}`;
}

/** Undefined: it is no claim, and nobody's. */
export function readHealthClaim(value: string): HealthClaim | undefined {
  const [name = '', uid = '', ...more] = value.split(' ');
  const isOne = name !== '' && uid !== '' && more.length === 0 && value.length <= LONGEST;
  return isOne ? { name, uid } : undefined;
}
