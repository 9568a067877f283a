{{- define "millwright.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 40 characters, so that every suffix fits. */}}
{{- define "millwright.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "millwright.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "millwright.selector" -}}
app.kubernetes.io/name: {{ include "millwright.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "millwright.labels" -}}
{{ include "millwright.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "millwright.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The rules of one role of files/cluster-roles.yaml. (list $ "millwright-worker") */}}
{{- define "millwright.rules" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $found := list -}}
{{- range splitList "\n---\n" ($root.Files.Get "files/cluster-roles.yaml") -}}
{{- $role := fromYaml . -}}
{{- if eq (dig "metadata" "name" "" $role) $name -}}
{{- $found = $role.rules -}}
{{- end -}}
{{- end -}}
{{- if not $found -}}
{{- fail (printf "files/cluster-roles.yaml has no role %s" $name) -}}
{{- end -}}
{{- toYaml $found -}}
{{- end -}}

{{/* What every container of ours is told of Temporal, as @temporalio/envconfig reads it. */}}
{{- define "millwright.temporalEnv" -}}
{{- with .Values.temporal -}}
- name: TEMPORAL_ADDRESS
  value: {{ .address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .namespace | quote }}
{{- if .apiKeySecret.name }}
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .apiKeySecret.name }}
      key: {{ .apiKeySecret.key }}
{{- end }}
{{- if or .tls.enabled .tls.clientSecret .tls.caSecret .apiKeySecret.name }}
- name: TEMPORAL_TLS
  value: 'true'
{{- end }}
{{- if .tls.serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ .tls.serverName | quote }}
{{- end }}
{{- if .tls.clientSecret }}
- name: TEMPORAL_TLS_CLIENT_CERT_PATH
  value: /etc/millwright/temporal-client/tls.crt
- name: TEMPORAL_TLS_CLIENT_KEY_PATH
  value: /etc/millwright/temporal-client/tls.key
{{- end }}
{{- if .tls.caSecret }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_PATH
  value: /etc/millwright/temporal-ca/ca.crt
{{- end }}
{{- end }}
{{- end -}}

{{- define "millwright.temporalMounts" -}}
{{- with .Values.temporal.tls -}}
{{- if or .clientSecret .caSecret -}}
volumeMounts:
{{- if .clientSecret }}
  - name: temporal-client
    mountPath: /etc/millwright/temporal-client
    readOnly: true
{{- end }}
{{- if .caSecret }}
  - name: temporal-ca
    mountPath: /etc/millwright/temporal-ca
    readOnly: true
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "millwright.temporalVolumes" -}}
{{- with .Values.temporal.tls -}}
{{- if or .clientSecret .caSecret -}}
volumes:
{{- if .clientSecret }}
  - name: temporal-client
    secret:
      secretName: {{ .clientSecret }}
      defaultMode: 0440
{{- end }}
{{- if .caSecret }}
  - name: temporal-ca
    secret:
      secretName: {{ .caSecret }}
      defaultMode: 0440
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The user is the image's own; by number, so that the kubelet can tell that it is not root. */}}
{{- define "millwright.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "millwright.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{/* Egress rules: DNS, the API server and the cloud, Temporal, the collector. */}}
{{- define "millwright.egress" -}}
{{- $ports := concat .Values.networkPolicy.egressPorts (list (.Values.temporal.address | splitList ":" | last | int)) -}}
{{- with .Values.otlpEndpoint -}}
{{- $host := (urlParse .).host -}}
{{- if regexMatch ":[0-9]+$" $host -}}
{{- $ports = append $ports (regexFind "[0-9]+$" $host | int) -}}
{{- else -}}
{{- $ports = append $ports (ternary 443 80 (hasPrefix "https:" .)) -}}
{{- end -}}
{{- end -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
- ports:
{{- range $ports | uniq }}
    - { port: {{ int . }}, protocol: TCP }
{{- end }}
{{- with .Values.networkPolicy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A hook that runs before installations and upgrades, by its weight; kept where it failed, so that its log can be read. */}}
{{- define "millwright.installHook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}
