import { InvalidArgumentError, Option } from 'commander';
import { parseCloudRates, type CloudRates } from '../../../providers/cloud-rates.ts';
import { OUTPUT_FORMATS, type OutputFormat } from './global-options.ts';
import { messageOf } from '../../../providers/message-of.ts';

/** A number of seconds above 0. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('It has to be a number of seconds above 0.');
  return value;
}

/** Clusters, separated by commas: `<namespace>/<id>`, or `<id>` for all namespaces. */
export function clusterNames(text: string): string[] {
  const names = text.split(',').map((one) => one.trim());
  if (names.every((one) => /^(?:[a-z0-9-]+\/)?[A-Za-z0-9][A-Za-z0-9._-]*$/.test(one))) return names;
  throw new InvalidArgumentError(
    'It has to be a list like machines/prod-x7k2,test-b3d9: [namespace/]cluster, commas between.',
  );
}

export function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new InvalidArgumentError('It has to be a port.');
  return value;
}

/** Limits of calls to clouds. */
export function cloudRates(text: string): CloudRates {
  try {
    return parseCloudRates(text);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

/** A number of machines. */
export function replicas(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It has to be a whole number, 0 or more.');
  return Number(text);
}

export function outputFormat(text: string): OutputFormat {
  const format = OUTPUT_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  if (/^jsonpath=./s.test(text)) return text as OutputFormat;
  throw new InvalidArgumentError(
    `It has to be one of ${OUTPUT_FORMATS.join(', ')}, jsonpath=TEMPLATE, e.g. jsonpath={.metadata.name}.`,
  );
}

/** `--ui-url` of the commands that show where a workflow's page is. */
export function uiUrlOption(): Option {
  return new Option(
    '--ui-url <url>',
    'Temporal Web UI to link to (default: that of the stack beside the kubeconfig)',
  ).env('MILLWRIGHT_UI_URL');
}
