# Sourced by the setup scripts: enter the project's root, and speak in one voice.
cd "$(dirname "$0")/../.."

say() {
    echo "==> $*"
}

# fail WHAT-HAPPENED WHAT-TO-DO
fail() {
    echo "==> FAILED: $1" >&2
    echo "    What to do: $2" >&2
    exit 1
}
