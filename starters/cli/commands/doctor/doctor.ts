import { readKubeConfig } from '../../access/kube-access.ts';
import { EXIT } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../flags/global-options.ts';
import { isStructure, printStructure } from '../../output/print-structure.ts';
import { temporalOf } from '../../access/temporal-access.ts';
import { examine } from './examine.ts';
import type { Role } from './check-permissions.ts';
import { renderFindings } from './render-findings.ts';

export interface DoctorFlags extends GlobalOptions {
  readonly as?: Role;
  readonly taskQueue?: string;
  readonly leaseName?: string;
  readonly leaseNamespace?: string;
  readonly secretNamespaces?: readonly string[];
  readonly simulatedEndpoint?: string;
}

/** `millwright doctor`: says what is wrong and what to do about it. Changes nothing. */
export async function doctor(flags: DoctorFlags): Promise<void> {
  const { namespace, as, taskQueue, leaseName, leaseNamespace, secretNamespaces, simulatedEndpoint, output } = flags;
  const findings = await examine({
    config: readKubeConfig(flags),
    temporal: await temporalOf(flags),
    role: as,
    namespace,
    taskQueue,
    leaseName,
    leaseNamespace,
    secretNamespaces,
    simulatedEndpoint,
  });
  const isHealthy = findings.every(({ status }) => status !== 'failed');
  if (isStructure(output)) printStructure({ healthy: isHealthy, findings }, output);
  else console.log(renderFindings(findings));
  if (!isHealthy) process.exitCode = EXIT.failed;
}
