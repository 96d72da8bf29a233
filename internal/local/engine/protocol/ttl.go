package protocol

type ttlSpecification struct {
	AttributeName string
	Enabled       bool
}

type updateTTLInput struct {
	TableName               string
	TimeToLiveSpecification ttlSpecification
}

func updateTimeToLive(s *Server, in *updateTTLInput) (any, error) {
	t, err := s.findNamed(in.TableName)
	if err != nil {
		return nil, err
	}
	switch spec, now := in.TimeToLiveSpecification, t.Options().TTL; {
	case spec.AttributeName == "":
		return nil, invalid("TimeToLiveSpecification.AttributeName must be non empty")
	case spec.Enabled && now != "":
		return nil, invalid("TimeToLive is already enabled")
	case !spec.Enabled && now == "":
		return nil, invalid("TimeToLive is already disabled")
	case !spec.Enabled && now != spec.AttributeName:
		return nil, invalid("TimeToLive is active on a different AttributeName: current AttributeName is " + now)
	case spec.Enabled:
		t.SetTTL(spec.AttributeName)
	default:
		t.SetTTL("")
	}
	if err := s.keep(t); err != nil {
		return nil, err
	}
	return struct{ TimeToLiveSpecification ttlSpecification }{in.TimeToLiveSpecification}, nil
}

func describeTimeToLive(s *Server, in *tableInput) (any, error) {
	t, err := s.findNamed(in.TableName)
	if err != nil {
		return nil, err
	}
	var d struct {
		TimeToLiveDescription struct {
			TimeToLiveStatus string
			AttributeName    string `json:",omitempty"`
		}
	}
	d.TimeToLiveDescription.TimeToLiveStatus = "DISABLED"
	if ttl := t.Options().TTL; ttl != "" {
		d.TimeToLiveDescription.TimeToLiveStatus, d.TimeToLiveDescription.AttributeName = "ENABLED", ttl
	}
	return d, nil
}
