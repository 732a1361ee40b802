"""What a Raspberry Pi in a corner needs: systemd's watchdog, the units, the doctor."""
